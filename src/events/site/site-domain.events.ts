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
);
export const SiteDomainChanged = eventType('SiteDomainChanged', z.strictObject({ ...told, ...claimSettings }));
/** It shows the site. */
export const SiteDomainActivated = eventType('SiteDomainActivated', z.strictObject(told));
/** Its records are gone; if they stay so, it is lost. */
export const SiteDomainMissed = eventType('SiteDomainMissed', z.strictObject(told));
export const SiteDomainFound = eventType('SiteDomainFound', z.strictObject(told));
/** It shows the site no more. */
export const SiteDomainLost = eventType('SiteDomainLost', z.strictObject(told));
/** It never came to show the site. */
export const SiteDomainFailed = eventType('SiteDomainFailed', z.strictObject(told));
/** The site gave it up, or gave it to another one. */
export const SiteDomainRemoved = eventType('SiteDomainRemoved', z.strictObject(told));

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
