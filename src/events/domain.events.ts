import { z } from 'zod';
import { type EventOf, eventType } from './event-type.js';

/**
 * Whose a hostname is. Several sites may ask for one, so that each event names the site whose claim it is about. The
 * hostname is in punycode, lower case, without the dot of the root.
 */
export const domainStream = (hostname: string) => `domain-${hostname}`;
export const isDomainStream = (stream: string) => stream.startsWith('domain-');
export const hostnameIn = (stream: string) => stream.slice('domain-'.length);

const time = z.iso.datetime();

/** The shapes of what is set for a claim. */
export const claimSettings = {
  /** Another domain of the site, which visitors are sent on to; null where it shows the site itself. */
  redirectTo: z.string().nullable(),
  /** Who may see the site under this name; null for what the site itself says. */
  visibility: z.enum(['public', 'password', 'members']).nullable(),
  /** Whether browsers are told to come by https alone. */
  hsts: z.boolean(),
};
export type ClaimSettings = {
  readonly [Name in keyof typeof claimSettings]: z.output<(typeof claimSettings)[Name]>;
};

/** A site asks for it, until then (RFC 3339). What its owner has to put into DNS is public there: the token is no secret. */
export const DomainAdded = eventType(
  'DomainAdded',
  z.strictObject({ siteId: z.string(), token: z.string(), redirectTo: claimSettings.redirectTo, until: time }),
);

/** All that is set for the site's claim, as it is now. */
export const DomainChanged = eventType('DomainChanged', z.strictObject({ siteId: z.string(), ...claimSettings }));

/** Its TXT record names the site's claim, and the name leads here. */
export const DomainActivated = eventType(
  'DomainActivated',
  z.strictObject({
    siteId: z.string(),
    /** The site that had it until now, and has lost it by this; null where none had. */
    replaced: z.string().nullable(),
    /** What is set for it, so that serving it needs no look-up. */
    ...claimSettings,
  }),
);

/** Records of an active one are gone. It is lost if they are not back by then (RFC 3339). */
export const DomainMissed = eventType('DomainMissed', z.strictObject({ siteId: z.string(), until: time }));

/** They are back. */
export const DomainFound = eventType('DomainFound', z.strictObject({ siteId: z.string() }));

/** They were gone for too long: it shows the site no more. */
export const DomainLost = eventType('DomainLost', z.strictObject({ siteId: z.string() }));

/** The claim came to nothing: its time was over, or newer claims of other sites took its place. */
export const DomainFailed = eventType('DomainFailed', z.strictObject({ siteId: z.string() }));

/** The claim is another site's from now on, as it stands, without a gap. It redirects nowhere, and is shown as that site says. */
export const DomainMoved = eventType(
  'DomainMoved',
  z.strictObject({
    siteId: z.string(),
    to: z.string(),
    token: z.string(),
    hsts: claimSettings.hsts,
    status: z.enum(['pending', 'active']),
    /** Of a pending one, when it fails; of an active one whose records are gone, when it is lost; else null. */
    until: time.nullable(),
  }),
);

/** The site asks for it no more. */
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

/** The sites whose claims an event changes. */
export function sitesOf({ type, data }: HostnameEvent): readonly string[] {
  if (type === 'DomainMoved') return [data.siteId, data.to];
  if (type === 'DomainActivated' && data.replaced !== null) return [data.siteId, data.replaced];
  return [data.siteId];
}
