import { refuseInvalid } from '../../../kernel/faults/schema-faults.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import type { SiteView } from '../../sites/api/site-access.js';
import { parseHostname } from '../hostname/hostname.js';

/**
 * Maximum number of domains of a site. Each process adds a site's domains one at a time, so concurrent requests can
 * exceed the limit by at most one domain for each additional process.
 */
export const MAX_DOMAINS = 100;

/** Refuses with `quota_exceeded` if the site has reached the limit on its domains. */
export function assertDomainQuota({ domains }: Pick<SiteView, 'domains'>, hostname: string): void {
  const others = Object.entries(domains).filter(([name, { status }]) => name !== hostname && status !== 'removed');
  if (others.length >= MAX_DOMAINS)
    refuse('quota_exceeded', `A site can have at most ${MAX_DOMAINS} domains. Remove one first.`);
}

/**
 * Parses the hostname to redirect to. Refuses invalid hostnames like `parseHostname`, but names the field `redirectTo`.
 */
export function parseRedirect(text: string, ours: readonly string[]): string {
  try {
    return parseHostname(text, ours).hostname;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return refuseInvalid(...error.faults.map(({ message }) => ({ path: 'redirectTo', message })));
  }
}

/** Refuses a redirect to a domain that does not belong to this site or itself redirects. */
export function assertRedirect({ domains }: Pick<SiteView, 'domains'>, hostname: string, redirectTo: string): void {
  if (redirectTo === hostname) no('must not be the domain itself');
  const target = standing(domains, redirectTo);
  if (!target) no('must be one of the site’s domains; add it first');
  if (target?.redirectTo != null)
    no(`must be a domain that does not redirect; this one redirects to ${target.redirectTo}`);
  const before = Object.keys(domains).find((name) => standing(domains, name)?.redirectTo === hostname);
  if (before !== undefined) no(`cannot be set while ${before} redirects to this domain`);
}

function standing(domains: SiteView['domains'], hostname: string): SiteView['domains'][string] | undefined {
  const known = Object.hasOwn(domains, hostname) ? domains[hostname] : undefined;
  return known?.status === 'pending' || known?.status === 'active' ? known : undefined;
}

const no = (message: string): never => refuseInvalid({ path: 'redirectTo', message });
