import { refuseInvalid } from '../../../kernel/faults/schema-faults.js';
import type { DomainSite, ToldDomain } from '../../../kernel/ports/domain-sites.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import { hostnameOf } from '../hostname/hostname.js';

/**
 * Of one site. It counts what the site’s history has told. Each process adds one at a time, so that of many that are
 * added at the same moment those over it are at most as many as there are other processes.
 */
export const MOST_DOMAINS = 100;

/** Refuses with `quota_exceeded` where the site has as many domains as it may have. */
export function assertRoom({ domains }: DomainSite, hostname: string): void {
  const others = Object.entries(domains).filter(([name, { status }]) => name !== hostname && status !== 'removed');
  if (others.length >= MOST_DOMAINS)
    refuse('quota_exceeded', `A site can have at most ${MOST_DOMAINS} domains. Remove one first.`);
}

/** The hostname that `redirectTo` names; refuses as `hostnameOf` does, naming that field. */
export function redirectIn(text: string, ours: readonly string[]): string {
  try {
    return hostnameOf(text, ours).hostname;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return refuseInvalid(...error.faults.map(({ message }) => ({ path: 'redirectTo', message })));
  }
}

/** Refuses a redirect to a domain that is not one of this site’s, or that redirects itself. */
export function assertRedirect({ domains }: DomainSite, hostname: string, redirectTo: string): void {
  if (redirectTo === hostname) no('must not be the domain itself');
  const target = standing(domains, redirectTo);
  if (!target) no('must be one of the site’s domains; add it first');
  if (target?.redirectTo != null)
    no(`must be a domain that does not redirect; this one redirects to ${target.redirectTo}`);
  const before = Object.keys(domains).find((name) => standing(domains, name)?.redirectTo === hostname);
  if (before !== undefined) no(`cannot be set while ${before} redirects to this domain`);
}

function standing(domains: DomainSite['domains'], hostname: string): ToldDomain | undefined {
  const known = Object.hasOwn(domains, hostname) ? domains[hostname] : undefined;
  return known?.status === 'pending' || known?.status === 'active' ? known : undefined;
}

const no = (message: string): never => refuseInvalid({ path: 'redirectTo', message });
