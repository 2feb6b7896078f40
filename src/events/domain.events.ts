import { z } from 'zod';
import { type EventOf, eventType } from './event-type.js';

/**
 * Returns the name of the stream with all claims to a hostname (in punycode, in lower case, without a trailing dot).
 * Several sites can claim the same hostname, so each event identifies the site.
 */
export const domainStream = (hostname: string) => `domain-${hostname}`;
export const isDomainStream = (stream: string) => stream.startsWith('domain-');
export const readHostname = (stream: string) => stream.slice('domain-'.length);

const time = z.iso.datetime();

export const claimSettings = {
  /** Another domain of the site to which visitors are redirected, or null. */
  redirectTo: z.string().nullable(),
  /** The site's visibility at this hostname, or null if the site's own setting applies. */
  visibility: z.enum(['public', 'password', 'members']).nullable(),
  /** Whether browsers are told to use only HTTPS (HSTS). */
  hsts: z.boolean(),
};
export type ClaimSettings = {
  readonly [Name in keyof typeof claimSettings]: z.output<(typeof claimSettings)[Name]>;
};

const exampleSite = 'site_01jd4v7h2kpf4s1w8v6y5x3q0n';
const otherSite = 'site_01jd4v8k3mqg5t2x9w7z6y4r1p';
const exampleSettings = { redirectTo: 'example.com', visibility: 'members', hsts: true } as const;
const exampleToken = 'q7e0v4k1m8b2n6c3';
const exampleTime = '2026-11-30T12:00:00.000Z';

/**
 * A site claimed the hostname. The claim fails at `until` (RFC 3339) unless it is verified. The token is not secret:
 * the owner publishes it in DNS.
 */
export const DomainAdded = eventType(
  'DomainAdded',
  z.strictObject({ siteId: z.string(), token: z.string(), redirectTo: claimSettings.redirectTo, until: time }),
  { example: { siteId: exampleSite, token: exampleToken, redirectTo: 'example.com', until: exampleTime } },
);

/** The settings of the site’s claim were changed. Contains all of them. */
export const DomainChanged = eventType('DomainChanged', z.strictObject({ siteId: z.string(), ...claimSettings }), {
  example: { siteId: exampleSite, ...exampleSettings },
});

/** The TXT record contains the token of this claim, and the hostname points to this service. */
export const DomainActivated = eventType(
  'DomainActivated',
  z.strictObject({
    siteId: z.string(),
    /** The site that had the hostname before and lost it, or null. */
    replaced: z.string().nullable(),
    /** The current settings, included so that serving the hostname requires no lookup. */
    ...claimSettings,
  }),
  { example: { siteId: exampleSite, replaced: otherSite, ...exampleSettings } },
);

/**
 * DNS records of an active hostname are missing. The site loses the hostname unless they are back by `until` (RFC
 * 3339).
 */
export const DomainMissed = eventType('DomainMissed', z.strictObject({ siteId: z.string(), until: time }), {
  example: { siteId: exampleSite, until: exampleTime },
});

/** The missing DNS records are back. */
export const DomainFound = eventType('DomainFound', z.strictObject({ siteId: z.string() }), {
  example: { siteId: exampleSite },
});

/** The DNS records were missing for too long, so the hostname no longer shows the site. */
export const DomainLost = eventType('DomainLost', z.strictObject({ siteId: z.string() }), {
  example: { siteId: exampleSite },
});

/** The claim failed: it was not verified in time, or newer claims of other sites replaced it. */
export const DomainFailed = eventType('DomainFailed', z.strictObject({ siteId: z.string() }), {
  example: { siteId: exampleSite },
});

/**
 * The claim was moved to another site and keeps its state. It has no redirect there, and the other site’s own
 * visibility applies.
 */
export const DomainMoved = eventType(
  'DomainMoved',
  z.strictObject({
    siteId: z.string(),
    to: z.string(),
    token: z.string(),
    hsts: claimSettings.hsts,
    status: z.enum(['pending', 'active']),
    /** Time at which a pending claim fails, or a claim with missing records is lost. Otherwise null. */
    until: time.nullable(),
  }),
  {
    example: {
      siteId: exampleSite,
      to: otherSite,
      token: exampleToken,
      hsts: true,
      status: 'active',
      until: exampleTime,
    },
  },
);

export const DomainRemoved = eventType('DomainRemoved', z.strictObject({ siteId: z.string() }), {
  example: { siteId: exampleSite },
});

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

export function listAffectedSites({ type, data }: HostnameEvent): readonly string[] {
  if (type === 'DomainMoved') return [data.siteId, data.to];
  if (type === 'DomainActivated' && data.replaced !== null) return [data.siteId, data.replaced];
  return [data.siteId];
}
