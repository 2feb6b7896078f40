import { z } from 'zod';
import { claimSettings } from '../domain.events.js';
import { type EventOf, eventType } from '../event-type.js';

/**
 * Copies of domain events for a site's own history, which is a single hash chain. They are recorded after those in the
 * domain's stream. `revision` is that of the original event, so that it is copied only once.
 */
const told = { hostname: z.string(), revision: z.number().int().positive() };

/** The site claimed the domain, or another site of the same owner moved it here. */
export const SiteDomainAdded = eventType(
  'SiteDomainAdded',
  z.strictObject({ ...told, redirectTo: claimSettings.redirectTo }),
  { summary: ({ hostname }) => `Domain ${hostname} added` },
);
export const SiteDomainChanged = eventType('SiteDomainChanged', z.strictObject({ ...told, ...claimSettings }), {
  summary: ({ hostname }) => `Settings for domain ${hostname} changed`,
});
/** The domain now shows the site. */
export const SiteDomainActivated = eventType('SiteDomainActivated', z.strictObject(told), {
  summary: ({ hostname }) => `Domain ${hostname} is live`,
});
/** The DNS records are missing. The domain is lost unless they come back. */
export const SiteDomainMissed = eventType('SiteDomainMissed', z.strictObject(told), {
  summary: ({ hostname }) => `DNS records for domain ${hostname} are missing`,
  isWarning: true,
});
export const SiteDomainFound = eventType('SiteDomainFound', z.strictObject(told), {
  summary: ({ hostname }) => `DNS records for domain ${hostname} found again`,
});
/** The domain no longer shows the site. */
export const SiteDomainLost = eventType('SiteDomainLost', z.strictObject(told), {
  summary: ({ hostname }) => `Domain ${hostname} lost`,
  isWarning: true,
});
/** The domain was not verified in time. */
export const SiteDomainFailed = eventType('SiteDomainFailed', z.strictObject(told), {
  summary: ({ hostname }) => `Domain ${hostname} could not be verified in time`,
  isWarning: true,
});
/** The site removed the domain, or moved it to another site. */
export const SiteDomainRemoved = eventType('SiteDomainRemoved', z.strictObject(told), {
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
