import { Inject, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { type DataSource, Not } from 'typeorm';
import type { Visibility } from '../../../events/settings.events.js';
import { type SiteEvent, siteIdOf } from '../../../events/site.events.js';
import type { Caller } from '../../../kernel/command-context.js';
import { EventStore, type Recorded } from '../../../kernel/event-store.js';
import { Served } from '../../../kernel/ports/serving-status.js';
import { MembershipRow, memberships } from '../../../projections/models/member.projection.js';
import { modifiedAfter, SiteRow, sites } from '../../../projections/models/site.projection.js';
import { Checkpoints } from '../../../projections/projector/checkpoints.js';
import type { Capabilities } from '../rules/resolve.js';
import { Reached } from './position-waiter.js';

/** What a visitor's request needs to know of a site. After any change it is another object, and only then. */
export type ServedSite = {
  readonly siteId: string;
  readonly slug: string;
  /** Digest of the live manifest; null for a site that has no deploy. */
  readonly manifest: string | null;
  /** Sites that belong to nobody are kept out of search engines. */
  readonly anonymous: boolean;
  /** When it is gone, in milliseconds since 1970; null for a site that stays. */
  readonly expiresAt: number | null;
  readonly takenDown: boolean;
  /** When it began to show this deploy, as `modifiedAfter` has it; null for a site that has none. */
  readonly modifiedAt: number | null;
  readonly visibility: Visibility;
  /** Names what visitors must know; null where no password is asked for. */
  readonly passwordId: string | null;
  /** Users who have a role on it. */
  readonly members: ReadonlySet<string>;
  /** Whether it asks search engines to leave it out. */
  readonly robots: 'index' | 'noindex';
  readonly capabilities: Capabilities;
  /** Of the last event that made it so. */
  readonly revision: number;
};

const NOBODY: ReadonlySet<string> = new Set();
const NO_CAPABILITIES: Capabilities = { spa: false, listing: false };

/**
 * Slugs → site → live deploy, in memory, folded from the log. It starts from the read model, so that starting does not
 * read the whole log, and goes on from the position that the read model had reached.
 */
@Injectable()
export class ServingIndex extends Served {
  readonly #log = new Logger('Serving');
  readonly #bySlug = new Map<string, string>();
  readonly #byId = new Map<string, ServedSite>();
  readonly #progress = new Reached();

  constructor(
    @Inject(EventStore) private readonly store: EventStore,
    @Inject(Checkpoints) private readonly checkpoints: Checkpoints,
    @InjectDataSource() private readonly db: DataSource,
  ) {
    super();
  }

  /** The site that has the slug, or had it before: its `slug` is the one it has. */
  site(slug: string): ServedSite | undefined {
    const siteId = this.#bySlug.get(slug);
    return siteId === undefined ? undefined : this.#byId.get(siteId);
  }

  siteById(siteId: string): ServedSite | undefined {
    return this.#byId.get(siteId);
  }

  get position() {
    return this.#progress.position;
  }

  override reached(position: bigint) {
    return this.#progress.wait(position, 2_000);
  }

  override hides(slug: string, { userId }: Caller) {
    const site = this.site(slug);
    // A site that is nobody's is known to whoever has its edit token, which is not told from others here: rules do that.
    if (!site || site.visibility === 'public' || site.anonymous) return false;
    return userId === null || !site.members.has(userId);
  }

  /** Resolves when the index can answer; goes on following until `signal` aborts. */
  async start(signal: AbortSignal) {
    // The checkpoint first: rows may be newer than it, and applying an event again changes nothing.
    const positions = [await this.checkpoints.read(sites), await this.checkpoints.read(memberships)];
    const position = positions.reduce((a, b) => (a < b ? a : b));
    const members = await this.#membersInRows();
    // A slug may have had a site before. What is live has its slugs; of those that are gone, the one that went last.
    const rows = await this.db
      .getRepository(SiteRow)
      .find({ where: { status: Not('deleted') }, order: { updatedAt: 'asc' } });
    const isLive = ({ status }: SiteRow) => status === 'live';
    for (const row of [...rows.filter((row) => !isLive(row)), ...rows.filter(isLive)]) {
      const anonymous = row.editTokenHash !== null;
      const [expiresAt, modifiedAt] = [row.expiresAt?.getTime() ?? null, row.modifiedAt?.getTime() ?? null];
      const capabilities = capabilitiesIn(row);
      this.#put({
        ...row,
        anonymous,
        expiresAt,
        modifiedAt,
        capabilities,
        members: members.get(row.siteId) ?? NOBODY,
      });
      for (const slug of [...row.formerSlugs.split(' '), row.slug]) this.#bySlug.set(slug, row.siteId);
    }

    const end = await this.store.lastPosition();
    this.#progress.pass(position);
    this.#follow(position, signal).catch((error) =>
      this.#log.error('The serving index stopped following the log.', error),
    );
    await this.#progress.wait(end, 60_000);
  }

  async #membersInRows(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const rows = await this.db.getRepository(MembershipRow).findBy({ kind: 'member' });
    const members = new Map<string, Set<string>>();
    for (const { siteId, userId } of rows) {
      if (userId !== null) members.set(siteId, (members.get(siteId) ?? new Set()).add(userId));
    }
    return members;
  }

  async #follow(position: bigint, signal: AbortSignal) {
    for await (const batch of this.store.follow(position, signal)) {
      for (const event of batch) this.#apply(event);
      this.#progress.pass(batch.at(-1)?.position ?? position);
    }
  }

  #apply(event: Recorded) {
    if (!event.stream.startsWith('site-')) return;
    const { type, data, revision } = event as Recorded & SiteEvent;
    const siteId = siteIdOf(event.stream);
    if (type === 'SiteCreated')
      this.#create({ siteId, slug: data.slug, anonymous: data.editTokenHash !== null, revision });
    else if (type === 'SiteDeployed' || type === 'SiteRolledBack') {
      this.#change(siteId, revision, ({ modifiedAt }) => ({
        manifest: data.manifest,
        modifiedAt: modifiedAfter(modifiedAt, Date.parse(event.at)),
      }));
    } else if (type === 'SiteClaimed') {
      this.#change(siteId, revision, () => ({ anonymous: false, expiresAt: null }));
      this.#join(siteId, revision, data.userId);
    } else if (type === 'MemberAdded') {
      this.#join(siteId, revision, data.userId);
    } else if (type === 'MemberRemoved') {
      this.#leave(siteId, revision, data.userId);
    } else if (type === 'SiteAccessSet') {
      this.#change(siteId, revision, () => data);
    } else if (type === 'SiteExpirySet') {
      this.#change(siteId, revision, () => ({ expiresAt: Date.parse(data.expiresAt) }));
    } else if (type === 'SiteRenamed') {
      this.#bySlug.set(data.slug, siteId);
      this.#change(siteId, revision, () => ({ slug: data.slug }));
    } else if (type === 'SiteDescribed') {
      this.#change(siteId, revision, () => ({ robots: data.robots }));
    } else if (type === 'CapabilitySet' && (data.name === 'spa' || data.name === 'listing')) {
      const { name, enabled } = data;
      this.#change(siteId, revision, ({ capabilities }) => ({ capabilities: { ...capabilities, [name]: enabled } }));
    } else if (type === 'SiteDeleted') {
      this.#forget(siteId);
    } else if (type === 'SiteTakenDown' || type === 'SiteRestored') {
      this.#change(siteId, revision, () => ({ takenDown: type === 'SiteTakenDown' }));
    }
  }

  #create(site: Pick<ServedSite, 'siteId' | 'slug' | 'anonymous' | 'revision'>) {
    this.#bySlug.set(site.slug, site.siteId);
    if (this.#byId.has(site.siteId)) return;
    this.#put({
      ...site,
      manifest: null,
      expiresAt: null,
      takenDown: false,
      modifiedAt: null,
      visibility: 'public',
      passwordId: null,
      members: NOBODY,
      robots: 'index',
      capabilities: NO_CAPABILITIES,
    });
  }

  #join(siteId: string, revision: number, userId: string) {
    this.#letIn(siteId, revision, (members) => members.add(userId));
  }

  #leave(siteId: string, revision: number, userId: string) {
    this.#letIn(siteId, revision, (members) => members.delete(userId));
  }

  /**
   * Whatever the site's row has seen: members come from another read model, which may be behind it. Where that one is
   * ahead, joining and leaving again in their order ends where it was.
   */
  #letIn(siteId: string, revision: number, change: (members: Set<string>) => void) {
    const site = this.#byId.get(siteId);
    if (!site) return;
    const members = new Set(site.members);
    change(members);
    this.#put({ ...site, members, revision: Math.max(site.revision, revision) });
  }

  /** What the row it started from has seen already is not done twice: `modifiedAt` counts. */
  #change(siteId: string, revision: number, change: (site: ServedSite) => Partial<ServedSite>) {
    const site = this.#byId.get(siteId);
    if (site && site.revision < revision) this.#put({ ...site, ...change(site), revision });
  }

  /** Whatever leads to it, by slug or by a deploy, leads nowhere. */
  #forget(siteId: string) {
    this.#byId.delete(siteId);
  }

  #put(site: ServedSite) {
    const { siteId, slug, manifest, anonymous, expiresAt, takenDown, modifiedAt, revision } = site;
    const { visibility, passwordId, members, robots, capabilities } = site;
    this.#byId.set(siteId, {
      siteId,
      slug,
      manifest,
      anonymous,
      expiresAt,
      takenDown,
      modifiedAt,
      visibility,
      passwordId,
      members,
      robots,
      capabilities,
      revision,
    });
  }
}

function capabilitiesIn({ capabilities }: SiteRow): Capabilities {
  const { spa, listing }: Partial<Record<string, { readonly enabled: boolean }>> = JSON.parse(capabilities);
  return { spa: spa?.enabled ?? false, listing: listing?.enabled ?? false };
}
