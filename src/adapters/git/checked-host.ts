import { isIP } from 'node:net';
import { refuse } from '../../kernel/refusal.js';
import { type HostLookup, isPublic } from '../network/public-address.js';
import type { RepoUrl } from './repo-url.js';

const PATIENCE_MS = 5_000;

/**
 * Returns the only addresses of a host to which connections may be made. Refuses the name if any of its addresses is
 * private, because later lookups might return only that address. The error omits the addresses, which may be in our own
 * network.
 */
export async function checkedAddresses(
  url: RepoUrl,
  lookup: HostLookup,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const addresses = isIP(url.host) ? [url.host] : await found(url.host, lookup, signal);
  if (!url.listed && !addresses.every(isPublic)) {
    const message = 'must not point to a private network';
    refuse('repo_not_allowed', `${url.host} resolves to an address that is not public.`, [{ path: 'url', message }]);
  }
  return addresses;
}

async function found(host: string, lookup: HostLookup, signal: AbortSignal): Promise<readonly string[]> {
  signal.throwIfAborted();
  const late = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
  const given = new Promise<never>((_, reject) => late.addEventListener('abort', () => reject(late.reason)));
  const addresses = await Promise.race([lookup(host), given]).catch(() => []);
  signal.throwIfAborted();
  if (addresses.length === 0) {
    const message = 'names a host that could not be found';
    refuse('repo_unreachable', `The host ${host} could not be found.`, [{ path: 'url', message }], {
      suggestion: 'Check the spelling, and that this service has Internet access and DNS.',
    });
  }
  return addresses;
}
