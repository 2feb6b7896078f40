import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { orAborted } from '../../kernel/concurrency/or-aborted.js';
import { type HostLookup, isPublic } from './public-address.js';

/** Thrown if a URL is not allowed or a response is not acceptable. Retrying does not help. */
export class UnacceptableResponseError extends TypeError {
  override readonly name = 'UnacceptableResponseError';
}

export type CheckedHosts = {
  readonly lookup: HostLookup;
  /** Hosts (`host:port`) that the operator has allowed (STELE_REPO_HOSTS). */
  readonly listed: ReadonlySet<string>;
};

export type AskedJson = {
  readonly signal: AbortSignal;
  readonly mostBytes: number;
  readonly plain?: boolean;
};

/**
 * Reads a JSON object from a URL chosen by strangers. Requires https and public addresses, unless the operator has
 * listed the host. Connects only to checked addresses, follows no redirects, and limits the size. Throws
 * `UnacceptableResponseError` or the network error.
 */
export async function checkedJson(url: URL, hosts: CheckedHosts, asked: AskedJson): Promise<Record<string, unknown>> {
  const addresses = await checkedAddresses(url, hosts, asked);
  return objectIn(await read(url, addresses, asked));
}

/**
 * Returns the addresses of a URL’s host to which connections are allowed. Throws `UnacceptableResponseError` if there
 * are none.
 */
export async function checkedAddresses(
  url: URL,
  { lookup, listed }: CheckedHosts,
  { signal, plain }: Pick<AskedJson, 'signal' | 'plain'>,
): Promise<readonly string[]> {
  const host = hostOf(url);
  const isSecure = url.protocol === 'https:';
  const isListed = listed.has(`${host}:${url.port || (isSecure ? 443 : 80)}`);
  if (!isSecure && !(plain && isListed && url.protocol === 'http:'))
    throw new UnacceptableResponseError('is not an https URL');
  const addresses = isIP(host) ? [host] : ((await orAborted(lookup(host), signal)) ?? []);
  if (addresses.length === 0 || !(isListed || addresses.every(isPublic)))
    throw new UnacceptableResponseError('has no public address');
  return addresses;
}

/** Returns the host without brackets and without a trailing dot. */
const hostOf = (url: URL) => url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');

function read(url: URL, addresses: readonly string[], { signal, mostBytes }: AskedJson): Promise<string> {
  const host = hostOf(url);
  const request = url.protocol === 'https:' ? secureRequest : plainRequest;
  return new Promise((resolve, reject) => {
    const asked = request(
      url,
      {
        agent: false,
        headers: { accept: 'application/json', 'user-agent': 'Stele' },
        lookup: pinnedTo(addresses),
        signal,
        ...(isIP(host) === 0 && { servername: host }),
      },
      (answer) => {
        const { statusCode = 0 } = answer;
        if (statusCode !== 200) {
          asked.destroy();
          const message = `responded with status ${statusCode}`;
          return reject(
            statusCode >= 500 || statusCode === 429 ? new Error(message) : new UnacceptableResponseError(message),
          );
        }
        const pieces: Buffer[] = [];
        let size = 0;
        answer.on('data', (piece: Buffer) => {
          size += piece.length;
          pieces.push(piece);
          if (size > mostBytes) asked.destroy(new UnacceptableResponseError('sent a response that is too large'));
        });
        answer.on('error', reject);
        answer.on('end', () => resolve(Buffer.concat(pieces).toString('utf8')));
      },
    );
    asked.on('error', reject);
    asked.end();
  });
}

function objectIn(text: string): Record<string, unknown> {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UnacceptableResponseError('did not return a JSON object');
  return { ...value };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnacceptableResponseError('did not return JSON');
  }
}

/** Returns a lookup function for checked addresses only, because another DNS lookup could return others. */
const pinnedTo =
  (addresses: readonly string[]): LookupFunction =>
  (_, { all }, done) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }));
    const [first = { address: '', family: 0 }] = found;
    if (all) done(null, found);
    else done(null, first.address, first.family);
  };
