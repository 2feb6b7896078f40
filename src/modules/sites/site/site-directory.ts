import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { siteStream } from '../../../events/site/site.events.js';
import { type SlugEvent, slugStream } from '../../../events/slug.events.js';
import { bySystem } from '../../../kernel/command-context.js';
import { EventStore, type Head } from '../../../kernel/event-store.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import { Transactions } from '../../../kernel/transactions.js';
import { AbandonSite, endedWithoutDeploy } from '../publish/slugs/abandon-site.js';
import { slug as slugFold } from '../publish/slugs/slug.state.js';
import { HandOverSlug, HoldSlug, HoldSlugAnew, ReserveSlug } from '../publish/slugs/slug-commands.js';
import { readableSlug } from '../publish/slugs/slug-name.js';
import { listSlugs } from './site-slugs.js';
import { type Site, site } from './state/site.state.js';

/**
 * A slug is held for a site that is about to be created or renamed. The hold lapses after this time if the site has not
 * taken the slug (docs/architecture.md, "Streams").
 */
const HOLD_MS = 10 * 60_000;
/** The slugs of a deleted or expired site are reserved for this long. */
export const RESERVED_SECONDS = 30 * 86_400;
const TRIES = 20;

export type FoundSite = { readonly siteId: string; readonly state: Site; readonly head: Head };

/** Looks up which site has a slug. Reads the log, which is up to date in every process. */
@Injectable()
export class SiteDirectory {
  constructor(
    private readonly commands: CommandBus,
    private readonly transactions: Transactions,
    private readonly store: EventStore,
  ) {}

  /** IDs of sites that this process could not create. Slugs held for them become free immediately. */
  readonly #givenUp = new Set<string>();

  /**
   * Returns the site that has the slug at that time (RFC 3339), as its current or a reserved former slug; otherwise
   * null. A slug that is only held leads to no site yet.
   */
  async find(slug: string, at: string): Promise<FoundSite | null> {
    // No stream has this name, because the database can't store NUL characters.
    if (slug.includes('\0')) return null;
    const { state: held } = await this.transactions.state(slugStream(slug), slugFold);
    if (held.status === 'free' || (held.status === 'reserved' && at >= held.until)) return null;
    const { siteId } = held;
    const { state, head } = await this.transactions.state(siteStream(siteId), site);
    if (held.status === 'held' && !listSlugs(state).includes(slug)) return null;
    if (held.status === 'held' && state.status === 'deleted' && (await this.#lapsed(slug, at)) !== null) return null;
    return { siteId, state, head };
  }

  /**
   * Like `find`, but refuses with `site_not_found` if no site has the slug or the site was deleted. The message does
   * not contain the slug, so that it is identical to the refusal for a hidden site.
   */
  async get(slug: string, at: string) {
    const found = await this.find(slug, at);
    return found && found.state.status !== 'deleted' ? found : refuse('site_not_found');
  }

  /**
   * Reports whether another site can take the slug at this time (RFC 3339). This is the case if the current site never
   * had a deploy, its last job ended without one, and it was not used for anything else. The current site exists until
   * its slug is taken.
   */
  async givesSlugBack(found: FoundSite, at: string): Promise<boolean> {
    return (await endedWithoutDeploy(this.transactions, this.store, found, at)) !== null;
  }

  /** Reports whether a site without any deploy has released the slug. */
  async wasGivenBack(slug: string): Promise<boolean> {
    const { events } = await this.store.read(slugStream(slug));
    const holders = events.map(({ data }) => (data as SlugEvent['data']).siteId);
    for (const siteId of new Set(holders.toReversed())) {
      const { state } = await this.stateOf(siteId);
      if (state.status === 'deleted' && !state.keepsSlugs) return true;
    }
    return false;
  }

  stateOf(siteId: string) {
    return this.transactions.state(siteStream(siteId), site);
  }

  /** Holds the slug for a site that is about to be created. Refuses with `slug_taken`. */
  async hold(slug: string, siteId: string, at: string) {
    this.#givenUp.delete(siteId);
    await this.#take(HoldSlug, slug, siteId, at);
  }

  /** Holds the slug for an existing site, which then has ten minutes to take it. Refuses with `slug_taken`. */
  async holdAnew(slug: string, siteId: string, at: string) {
    await this.#take(HoldSlugAnew, slug, siteId, at);
  }

  /**
   * Returns the ID of the site that last got the slug, even if that site was never created. Returns null if no site
   * ever had the slug.
   */
  async holderOf(slug: string): Promise<string | null> {
    const { state } = await this.transactions.state(slugStream(slug), slugFold);
    return state.status === 'free' ? null : state.siteId;
  }

  /**
   * Transfers the slug of the probe, which is the site that the service publishes to test itself, to a new probe.
   * Refuses with `slug_taken` if another process was faster.
   */
  async handOver(slug: string, from: string | null, siteId: string, at: string) {
    await this.commands.execute(new HandOverSlug({ context: bySystem(at), slug, siteId, from }));
  }

  /** Frees the slug held for a site that was not created. */
  giveUp(siteId: string) {
    this.#givenUp.add(siteId);
  }

  async #take(Hold: typeof HoldSlug | typeof HoldSlugAnew, slug: string, siteId: string, at: string) {
    const hold = (lapsed: number | null) =>
      this.commands.execute(new Hold({ context: bySystem(at), slug, siteId, lapsed }));
    try {
      await hold(null);
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'slug_taken') throw error;
      const lapsed = (await this.#lapsed(slug, at)) ?? (await this.#release(slug, at));
      if (lapsed === null) throw error;
      await hold(lapsed);
    }
  }

  /**
   * Holds the requested or a generated slug for a site that is about to be created, and returns it. Refuses with
   * `slug_taken`.
   */
  async holdFor(siteId: string, asked: string | null, at: string): Promise<string> {
    if (asked === null) return this.#holdAny(siteId, at);
    await this.hold(asked, siteId, at);
    return asked;
  }

  /**
   * Like `holdFor`, but for a request that may be a retry. If an earlier attempt created the site, the site already has
   * its slug.
   */
  async holdAgainFor(siteId: string, asked: string | null, at: string): Promise<string> {
    const { state } = await this.stateOf(siteId);
    return state.status === 'unknown' ? this.holdFor(siteId, asked, at) : state.slug;
  }

  async #holdAny(siteId: string, at: string): Promise<string> {
    for (let attempt = 1; ; attempt++) {
      const slug = readableSlug(randomBytes(6).readUIntBE(0, 6));
      try {
        await this.hold(slug, siteId, at);
        return slug;
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'slug_taken' || attempt === TRIES) throw error;
      }
    }
  }

  /** Reserves the slug of a site that no longer exists until the given time (RFC 3339). */
  async reserve(slug: string, siteId: string, at: string, until: string) {
    await this.commands.execute(new ReserveSlug({ context: bySystem(at), slug, siteId, until }));
  }

  /**
   * Deletes the site that holds the slug if it never had a deploy. Returns the revision of the hold, or null if no site
   * was deleted.
   */
  async #release(slug: string, at: string): Promise<number | null> {
    const { head } = await this.store.read(slugStream(slug));
    const found = await this.find(slug, at);
    const jobId = found && (await endedWithoutDeploy(this.transactions, this.store, found, at));
    if (!found || !jobId) return null;
    await this.commands.execute(new AbandonSite({ context: bySystem(at), siteId: found.siteId, jobId }));
    return head.revision;
  }

  /**
   * Returns the revision at which the slug's hold became void, or null if it is valid. A hold is void if its site did
   * not take the slug in time (after a crash or a full disk between the two writes), was deleted without reserving its
   * slugs, or was deleted so long ago that its slugs are free again.
   */
  async #lapsed(slug: string, at: string): Promise<number | null> {
    const { events, head } = await this.store.read(slugStream(slug));
    const last = events.at(-1);
    if (last?.type !== 'SlugHeld') return null;
    const { siteId } = last.data as Extract<SlugEvent, { type: 'SlugHeld' }>['data'];
    const { state, head: ofSite } = await this.transactions.state(siteStream(siteId), site);
    const since = (time: string) => Date.parse(at) - Date.parse(time);
    if (state.status === 'deleted' && listSlugs(state).includes(slug)) {
      const [deleted] = await this.store.page(siteStream(siteId), ofSite.revision - 1, 1);
      return deleted && since(deleted.at) >= RESERVED_SECONDS * 1_000 ? head.revision : null;
    }
    const neverComes = state.status === 'deleted' || this.#givenUp.has(siteId);
    if (!neverComes && since(last.at) < HOLD_MS) return null;
    return listSlugs(state).includes(slug) ? null : head.revision;
  }
}
