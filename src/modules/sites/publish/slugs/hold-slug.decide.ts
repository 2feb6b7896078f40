import { type SlugEvent, SlugHeld, SlugReserved } from '../../../../events/slug.events.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { refuse } from '../../../../kernel/refusal.js';
import type { Slug } from './slug.state.js';

export type Hold = {
  readonly context: Pick<CommandContext, 'at'>;
  readonly siteId: string;
  /** Revision of the slug's stream at which its hold was found to have lapsed, or null if that was not checked. */
  readonly lapsed: number | null;
};

/**
 * Holds a slug temporarily for a site that is about to take it. If several sites request it concurrently, the first one
 * recorded gets it.
 */
export function decideHold(slug: Slug, { context, siteId, lapsed }: Hold, revision: number): SlugEvent[] {
  if (slug.status === 'held' && slug.siteId === siteId) return [];
  if (slug.status === 'held' && revision !== lapsed) return refuse('slug_taken', 'This slug belongs to another site.');
  if (slug.status === 'reserved' && context.at < slug.until) {
    return refuse('slug_taken', `This slug is reserved until ${slug.until}.`);
  }
  return [SlugHeld({ siteId })];
}

/**
 * Holds another slug temporarily for an existing site. If the site already holds it, renews the hold, so that it does
 * not lapse before the site is renamed.
 */
export function decideHoldAnew(slug: Slug, hold: Hold, revision: number): SlugEvent[] {
  if (slug.status === 'held' && slug.siteId === hold.siteId) return [SlugHeld({ siteId: hold.siteId })];
  return decideHold(slug, hold, revision);
}

export type Reserve = { readonly siteId: string; readonly until: string };

/** Reserves the slug of a site that no longer exists, so that a stranger can't immediately impersonate the site. */
export function decideReserve(slug: Slug, { siteId, until }: Reserve): SlugEvent[] {
  return slug.status === 'held' && slug.siteId === siteId ? [SlugReserved({ siteId, until })] : [];
}

export type HandOver = {
  readonly siteId: string;
  /** The site that last had the slug when this process decided to transfer it, or null if no site ever had it. */
  readonly from: string | null;
};

/**
 * Transfers a slug that callers can't use to another of the service's own sites. If several processes try this
 * concurrently, the first succeeds, and the rest are refused with `slug_taken`.
 */
export function decideSlugTransfer(slug: Slug, { siteId, from }: HandOver): SlugEvent[] {
  const holder = slug.status === 'free' ? null : slug.siteId;
  if (holder === siteId) return [];
  if (holder !== from) return refuse('slug_taken', 'Another process has just taken this slug.');
  return [SlugHeld({ siteId })];
}
