import { z } from 'zod';
import { claimSettings } from '../domain.events.js';
import type { EventOf } from '../event-type.js';
import { siteEventType } from './site-event-type.js';

/**
 * Copies of domain events for a site's own history, which is a single hash chain. They are recorded after the events in
 * the domain's stream. `revision` is the revision of the original event and prevents a second copy.
 */
const told = { hostname: z.string(), revision: z.number().int().positive() };
const exampleCopy = { hostname: 'www.example.com', revision: 3 };

/** The site claimed the domain, or another site of the same owner moved it here. */
export const SiteDomainAdded = siteEventType(
  'SiteDomainAdded',
  z.strictObject({ ...told, redirectTo: claimSettings.redirectTo }),
  {
    example: { ...exampleCopy, redirectTo: 'example.com' },
    changes: null,
    summary: ({ hostname }) => `Domain ${hostname} added`,
  },
);
export const SiteDomainChanged = siteEventType('SiteDomainChanged', z.strictObject({ ...told, ...claimSettings }), {
  example: { ...exampleCopy, redirectTo: 'example.com', visibility: 'members', hsts: true },
  changes: null,
  summary: ({ hostname }) => `Settings for domain ${hostname} changed`,
});
export const SiteDomainActivated = siteEventType('SiteDomainActivated', z.strictObject(told), {
  example: exampleCopy,
  changes: null,
  summary: ({ hostname }) => `Domain ${hostname} is live`,
});
/** The DNS records are missing. The domain is lost unless they come back. */
export const SiteDomainMissed = siteEventType('SiteDomainMissed', z.strictObject(told), {
  example: exampleCopy,
  changes: null,
  summary: ({ hostname }) => `DNS records for domain ${hostname} are missing`,
  isWarning: true,
});
export const SiteDomainFound = siteEventType('SiteDomainFound', z.strictObject(told), {
  example: exampleCopy,
  changes: null,
  summary: ({ hostname }) => `DNS records for domain ${hostname} found again`,
});
export const SiteDomainLost = siteEventType('SiteDomainLost', z.strictObject(told), {
  example: exampleCopy,
  changes: null,
  summary: ({ hostname }) => `Domain ${hostname} lost`,
  isWarning: true,
});
/** The claim failed: it was not verified in time, or newer claims of other sites replaced it. */
export const SiteDomainFailed = siteEventType('SiteDomainFailed', z.strictObject(told), {
  example: exampleCopy,
  changes: null,
  summary: ({ hostname }) => `Domain ${hostname} could not be verified in time`,
  isWarning: true,
});
/** The site removed the domain, or moved it to another site. */
export const SiteDomainRemoved = siteEventType('SiteDomainRemoved', z.strictObject(told), {
  example: exampleCopy,
  changes: null,
  summary: ({ hostname }) => `Domain ${hostname} removed`,
});

export const siteDomainEvents = [
  SiteDomainAdded,
  SiteDomainChanged,
  SiteDomainActivated,
  SiteDomainMissed,
  SiteDomainFound,
  SiteDomainLost,
  SiteDomainFailed,
  SiteDomainRemoved,
] as const;
export type SiteDomainEvent = EventOf<(typeof siteDomainEvents)[number]>;
