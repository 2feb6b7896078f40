import {
  DomainAdded,
  DomainChanged,
  DomainFailed,
  DomainRemoved,
  type HostnameEvent,
} from '../../../events/domain.events.js';
import { refuse } from '../../../kernel/refusal.js';
import { type Domain, findActiveSite, findClaim, standingClaim } from '../domain.state.js';

/**
 * Maximum number of sites with a pending claim on a hostname. Another claim replaces the oldest one. If it were refused
 * instead, a stranger with twenty sites could keep a hostname from its owner.
 */
export const MAX_PENDING_DOMAINS = 20;

const MAX_CLAIMS = 100;

export type DomainAddition = {
  readonly context: { readonly at: string };
  readonly siteId: string;
  readonly token: string;
  /** Time by which the DNS records must exist (RFC 3339). */
  readonly until: string;
  /** Hostname to redirect to. Null removes the redirect; undefined, if the request omits the field, keeps it. */
  readonly redirectTo: string | null | undefined;
};

/**
 * Adds a domain to a site. If the site already has a pending or active claim, only its redirect can change. Refuses
 * with `domain_taken` only while another site has the hostname and its DNS records exist. Otherwise, the DNS records
 * decide which site gets the hostname.
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
  const holder = findActiveSite(state);
  const held = holder === null ? undefined : findClaim(state, holder);
  if (held?.status === 'active' && held.until === null)
    return refuse('domain_taken', 'Another site uses this domain, and the DNS records for that site are in place.');
  return [...makeRoom(state, siteId), DomainAdded({ siteId, token, redirectTo: redirectTo ?? null, until })];
}

function makeRoom({ claims }: Domain, siteId: string): HostnameEvent[] {
  const others = Object.entries(claims).filter(([other]) => other !== siteId);
  const pending = others.filter(([, { status }]) => status === 'pending');
  const over = others.filter(([, { status }]) => status === 'lost' || status === 'failed');
  const failed = pending.length < MAX_PENDING_DOMAINS ? [] : pending.slice(0, 1);
  const removed = others.length < MAX_CLAIMS ? [] : over.slice(0, 1);
  return [
    ...failed.map(([other]) => DomainFailed({ siteId: other })),
    ...removed.map(([other]) => DomainRemoved({ siteId: other })),
  ];
}
