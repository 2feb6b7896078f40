import { type SlugEvent, SlugHeld, SlugReserved } from '../../../../events/slug.events.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { refuse } from '../../../../kernel/refusal.js';
import type { Slug } from './slug.state.js';

export type Hold = {
  readonly context: Pick<CommandContext, 'at'>;
  readonly siteId: string;
  /** The revision of the slug’s stream at which its hold was found to have lapsed; null if that was not checked. */
  readonly lapsed: number | null;
};

/** Holds a slug for a site. If several sites request it at once, the first one recorded gets it. */
export function decideHold(slug: Slug, { context, siteId, lapsed }: Hold, revision: number): SlugEvent[] {
  if (slug.status === 'held' && slug.siteId === siteId) return [];
  if (slug.status === 'held' && revision !== lapsed) return refuse('slug_taken', 'This slug belongs to another site.');
  if (slug.status === 'reserved' && context.at < slug.until) {
    return refuse('slug_taken', `This slug is reserved until ${slug.until}.`);
  }
  return [SlugHeld({ siteId })];
}

/**
 * Holds a slug for a site that already has one. If the site already holds this slug, the hold is recorded again, so
 * that it does not lapse while the site takes it.
 */
export function decideHoldAnew(slug: Slug, hold: Hold, revision: number): SlugEvent[] {
  if (slug.status === 'held' && slug.siteId === hold.siteId) return [SlugHeld({ siteId: hold.siteId })];
  return decideHold(slug, hold, revision);
}

export type Reserve = { readonly siteId: string; readonly until: string };

/** Reserves the slug of a site that no longer exists, so that a stranger can't take it at once and pass for it. */
export function decideReserve(slug: Slug, { siteId, until }: Reserve): SlugEvent[] {
  return slug.status === 'held' && slug.siteId === siteId ? [SlugReserved({ siteId, until })] : [];
}

export type HandOver = {
  readonly siteId: string;
  /** The site that had the slug when this was decided; null if none ever had it. */
  readonly from: string | null;
};

/**
 * Gives a slug that callers can't have to another of the service’s own sites. If several processes do so at once, the
 * first succeeds and the others are refused with `slug_taken`.
 */
export function decideSlugTransfer(slug: Slug, { siteId, from }: HandOver): SlugEvent[] {
  const holder = slug.status === 'free' ? null : slug.siteId;
  if (holder === siteId) return [];
  if (holder !== from) return refuse('slug_taken', 'Another process has just taken this slug.');
  return [SlugHeld({ siteId })];
}
