import type { SiteEvent } from '../../../../events/site/site.events.js';

export type AvailabilityState = {
  /** When the site expires, as an RFC 3339 timestamp; null if it does not expire. */
  readonly expiresAt: string | null;
  /** Whether each published deploy postpones the expiry of the site. */
  readonly renewsExpiry: boolean;
  readonly takenDown: boolean;
};

export const availableForever: AvailabilityState = { expiresAt: null, renewsExpiry: false, takenDown: false };

export const availabilityVersion = 1;

export function evolveAvailability(_: AvailabilityState, event: SiteEvent): Partial<AvailabilityState> | null {
  switch (event.type) {
    case 'SiteExpirySet':
      return { expiresAt: event.data.expiresAt, renewsExpiry: event.data.renews };
    case 'SiteClaimed':
      return { expiresAt: null, renewsExpiry: false };
    case 'SiteTakenDown':
      return { takenDown: true };
    case 'SiteRestored':
      return { takenDown: false };
    default:
      return null;
  }
}
