import {
  DomainAdded,
  DomainChanged,
  DomainFailed,
  DomainRemoved,
  type HostnameEvent,
} from '../../../events/domain.events.js';
import { refuse } from '../../../kernel/refusal.js';
import { claimOf, type Domain, holderOf, standingClaim } from '../domain.state.js';

/**
 * Sites that may wait for one hostname at once. One more takes the place of the one that has waited longest: were it
 * refused, twenty sites of a stranger would keep a hostname from its owner.
 */
export const MOST_PENDING = 20;

/** Claims that are remembered of one hostname. */
const MOST_CLAIMS = 100;

export type DomainAddition = {
  readonly context: { readonly at: string };
  readonly siteId: string;
  readonly token: string;
  /** When the claim fails, should its records not be there by then (RFC 3339). */
  readonly until: string;
  /** Undefined where nothing is said of it. */
  readonly redirectTo: string | null | undefined;
};

/**
 * The site asks for the hostname. What a site has already stays as it is, but for where it redirects to. `domain_taken`
 * only while another site has it and its records are there: else DNS decides.
 */
export function decideAdd(
  state: Domain,
  { context: { at }, siteId, token, until, redirectTo }: DomainAddition,
): HostnameEvent[] {
  const own = standingClaim(state, siteId, at);
  if (own) {
    if (redirectTo === undefined || redirectTo === own.redirectTo) return [];
    return [DomainChanged({ siteId, redirectTo, visibility: own.visibility, hsts: own.hsts })];
  }
  const holder = holderOf(state);
  const held = holder === null ? undefined : claimOf(state, holder);
  if (held?.status === 'active' && held.until === null)
    return refuse('domain_taken', 'Another site uses this domain, and the DNS records for that site are in place.');
  return [...makeRoom(state, siteId), DomainAdded({ siteId, token, redirectTo: redirectTo ?? null, until })];
}

function makeRoom({ claims }: Domain, siteId: string): HostnameEvent[] {
  const others = Object.entries(claims).filter(([other]) => other !== siteId);
  const pending = others.filter(([, { status }]) => status === 'pending');
  const over = others.filter(([, { status }]) => status === 'lost' || status === 'failed');
  const failed = pending.length < MOST_PENDING ? [] : pending.slice(0, 1);
  const removed = others.length < MOST_CLAIMS ? [] : over.slice(0, 1);
  return [
    ...failed.map(([other]) => DomainFailed({ siteId: other })),
    ...removed.map(([other]) => DomainRemoved({ siteId: other })),
  ];
}
