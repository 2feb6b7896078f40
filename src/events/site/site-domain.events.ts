import { z } from 'zod';
import { claimSettings } from '../domain.events.js';
import { type EventOf, eventType } from '../event-type.js';

/**
 * What happened to a site's domains, told in the site's own stream after it was recorded in the domain's: the site's
 * history is one chain. `revision` is the place of that event in the domain's stream, by which it is told once.
 */
const told = { hostname: z.string(), revision: z.number().int().positive() };

/** The site has asked for it, or was given it by another site of the same owner. */
export const SiteDomainAdded = eventType(
  'SiteDomainAdded',
  z.strictObject({ ...told, redirectTo: claimSettings.redirectTo }),
  { summary: ({ hostname }) => `Domain ${hostname} added` },
);
export const SiteDomainChanged = eventType('SiteDomainChanged', z.strictObject({ ...told, ...claimSettings }), {
  summary: ({ hostname }) => `Settings for domain ${hostname} changed`,
});
/** It shows the site. */
export const SiteDomainActivated = eventType('SiteDomainActivated', z.strictObject(told), {
  summary: ({ hostname }) => `Domain ${hostname} is live`,
});
/** Its records are gone; if they stay so, it is lost. */
export const SiteDomainMissed = eventType('SiteDomainMissed', z.strictObject(told), {
  summary: ({ hostname }) => `DNS records for domain ${hostname} are missing`,
  isWarning: true,
});
export const SiteDomainFound = eventType('SiteDomainFound', z.strictObject(told), {
  summary: ({ hostname }) => `DNS records for domain ${hostname} found again`,
});
/** It shows the site no more. */
export const SiteDomainLost = eventType('SiteDomainLost', z.strictObject(told), {
  summary: ({ hostname }) => `Domain ${hostname} lost`,
  isWarning: true,
});
/** It never came to show the site. */
export const SiteDomainFailed = eventType('SiteDomainFailed', z.strictObject(told), {
  summary: ({ hostname }) => `Domain ${hostname} could not be verified in time`,
  isWarning: true,
});
/** The site gave it up, or gave it to another one. */
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
