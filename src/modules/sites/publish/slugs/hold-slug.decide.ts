import { type SlugEvent, SlugHeld, SlugReserved } from '../../../../events/slug.events.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { refuse } from '../../../../kernel/refusal.js';
import type { Slug } from './slug.state.js';

export type Hold = {
  readonly context: Pick<CommandContext, 'at'>;
  readonly siteId: string;
  /** The revision of the slug’s stream at which its hold was found to have lapsed; null where it was not looked at. */
  readonly lapsed: number | null;
};

/** Holds a slug for a site. Of concurrent requests for a slug, the first one recorded gets it. */
export function decideHold(slug: Slug, { context, siteId, lapsed }: Hold, revision: number): SlugEvent[] {
  if (slug.status === 'held' && slug.siteId === siteId) return [];
  if (slug.status === 'held' && revision !== lapsed) return refuse('slug_taken', 'This slug belongs to another site.');
  if (slug.status === 'reserved' && context.at < slug.until) {
    return refuse('slug_taken', `This slug is reserved until ${slug.until}.`);
  }
  return [SlugHeld({ siteId })];
}

/**
 * Holds a slug for a site that has another one. A hold of its own that it never took is written again, so that it does
 * not lapse while the site takes it.
 */
export function decideHoldAnew(slug: Slug, hold: Hold, revision: number): SlugEvent[] {
  if (slug.status === 'held' && slug.siteId === hold.siteId) return [SlugHeld({ siteId: hold.siteId })];
  return decideHold(slug, hold, revision);
}

export type Reserve = { readonly siteId: string; readonly until: string };

/** Keeps the slug of a site that is gone from being taken at once by a stranger who could pass for it. */
export function decideReserve(slug: Slug, { siteId, until }: Reserve): SlugEvent[] {
  return slug.status === 'held' && slug.siteId === siteId ? [SlugReserved({ siteId, until })] : [];
}

export type HandOver = {
  readonly siteId: string;
  /** The site that had the slug when this was decided; null where none ever had it. */
  readonly from: string | null;
};

/**
 * Gives a slug that no caller may have to another site of the service’s own. Of processes that do so at once one is the
 * first, and the others are refused with `slug_taken`.
 */
export function decideHandOver(slug: Slug, { siteId, from }: HandOver): SlugEvent[] {
  const holder = slug.status === 'free' ? null : slug.siteId;
  if (holder === siteId) return [];
  if (holder !== from) return refuse('slug_taken', 'Another process has just taken this slug.');
  return [SlugHeld({ siteId })];
}
