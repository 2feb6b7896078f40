import { DomainActivated, DomainAdded, DomainMissed } from '../../../src/events/domain.events.js';
import { noon } from './site-examples.js';

export const aWeekLater = '2026-11-27T12:00:00.000Z';
export const threeDaysLater = '2026-11-23T12:00:00.000Z';

export const added = (n: number, redirectTo: string | null = null) =>
  DomainAdded({ siteId: `site_${n}`, token: `token_${n}`, redirectTo, until: aWeekLater });

export const activated = (n: number, replaced: number | null = null) =>
  DomainActivated({
    siteId: `site_${n}`,
    replaced: replaced === null ? null : `site_${replaced}`,
    redirectTo: null,
    visibility: null,
    hsts: false,
  });

export const missed = (n: number) => DomainMissed({ siteId: `site_${n}`, until: threeDaysLater });

export const ofSite = (n: number, at = noon) => ({ context: { at }, siteId: `site_${n}`, hostname: 'www.example.com' });
