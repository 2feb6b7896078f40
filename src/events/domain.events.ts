import { z } from 'zod';
import { type EventOf, eventType } from './event-type.js';

/**
 * The claims to a hostname. Several sites may claim the same one, so each event names the site of its claim. The
 * hostname is in punycode, lower case, without a trailing dot.
 */
export const domainStream = (hostname: string) => `domain-${hostname}`;
export const isDomainStream = (stream: string) => stream.startsWith('domain-');
export const readHostname = (stream: string) => stream.slice('domain-'.length);

const time = z.iso.datetime();

/** Schemas of the settings of a claim. */
export const claimSettings = {
  /** Another domain of the site to which visitors are redirected; null if this one shows the site. */
  redirectTo: z.string().nullable(),
  /** Who can see the site at this hostname; null to use the setting of the site. */
  visibility: z.enum(['public', 'password', 'members']).nullable(),
  /** Whether browsers are told to use HTTPS only (HSTS). */
  hsts: z.boolean(),
};
export type ClaimSettings = {
  readonly [Name in keyof typeof claimSettings]: z.output<(typeof claimSettings)[Name]>;
};

/**
 * A site claimed the hostname. The claim fails at `until` (RFC 3339) unless it is verified. The token is not secret:
 * the
 * owner publishes it in DNS.
 */
export const DomainAdded = eventType(
  'DomainAdded',
  z.strictObject({ siteId: z.string(), token: z.string(), redirectTo: claimSettings.redirectTo, until: time }),
);

/** All settings of the site’s claim after a change. */
export const DomainChanged = eventType('DomainChanged', z.strictObject({ siteId: z.string(), ...claimSettings }));

/** The TXT record contains the token of this claim, and the hostname points to this service. */
export const DomainActivated = eventType(
  'DomainActivated',
  z.strictObject({
    siteId: z.string(),
    /** The site that had the hostname before and has now lost it; null if there was none. */
    replaced: z.string().nullable(),
    /** The current settings, so that serving the hostname needs no look-up. */
    ...claimSettings,
  }),
);

/** DNS records of an active hostname are missing. It is lost unless they are back by `until` (RFC 3339). */
export const DomainMissed = eventType('DomainMissed', z.strictObject({ siteId: z.string(), until: time }));

/** The missing records are back. */
export const DomainFound = eventType('DomainFound', z.strictObject({ siteId: z.string() }));

/** The records were missing for too long: the hostname no longer shows the site. */
export const DomainLost = eventType('DomainLost', z.strictObject({ siteId: z.string() }));

/** The claim failed: it was not verified in time, or newer claims of other sites replaced it. */
export const DomainFailed = eventType('DomainFailed', z.strictObject({ siteId: z.string() }));

/**
 * The claim was moved to another site in its current state, without interruption. It has no redirect there, and uses
 * that site’s visibility.
 */
export const DomainMoved = eventType(
  'DomainMoved',
  z.strictObject({
    siteId: z.string(),
    to: z.string(),
    token: z.string(),
    hsts: claimSettings.hsts,
    status: z.enum(['pending', 'active']),
    /** When a pending claim fails, or an active one with missing records is lost; else null. */
    until: time.nullable(),
  }),
);

/** The site removed its claim. */
export const DomainRemoved = eventType('DomainRemoved', z.strictObject({ siteId: z.string() }));

export const domainEvents = [
  DomainAdded,
  DomainChanged,
  DomainActivated,
  DomainMissed,
  DomainFound,
  DomainLost,
  DomainFailed,
  DomainMoved,
  DomainRemoved,
] as const;
export type HostnameEvent = EventOf<(typeof domainEvents)[number]>;

/** Returns the sites whose claims an event changes. */
export function listAffectedSites({ type, data }: HostnameEvent): readonly string[] {
  if (type === 'DomainMoved') return [data.siteId, data.to];
  if (type === 'DomainActivated' && data.replaced !== null) return [data.siteId, data.replaced];
  return [data.siteId];
}
