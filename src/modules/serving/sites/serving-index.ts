import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { type DataSource, Not } from 'typeorm';
import { type HostnameEvent, isDomainStream } from '../../../events/domain.events.js';
import { movesLive, readSiteId, type SiteEvent } from '../../../events/site/site.events.js';
import type { Caller } from '../../../kernel/command-context.js';
import { orAborted } from '../../../kernel/concurrency/or-aborted.js';
import { EventStore, type Recorded } from '../../../kernel/event-store.js';
import { ServingStatus } from '../../../kernel/ports/serving-status.js';
import { isHidden } from '../../../kernel/rights/site-access.js';
import { DomainRow, domainReadModel } from '../../../projections/models/domain.projection.js';
import { MembershipRow, memberships } from '../../../projections/models/member.projection.js';
import { computeModifiedTime, SiteRow, siteReadModel } from '../../../projections/models/site.projection.js';
import { Checkpoints } from '../../../projections/projector/checkpoints.js';
import { DomainIndex } from './domain-index.js';
import { PositionWaiter } from './position-waiter.js';
import type { ServedCapabilities, ServedSite } from './served-site.js';

const NO_MEMBERS: ReadonlySet<string> = new Set();
const NO_CAPABILITIES: ServedCapabilities = { spa: false, listing: false, connector: false, analytics: false };

/**
 * Maps slugs to sites and their live deploys, in memory. Starts from the read models, to avoid reading the whole log,
 * and then follows the log from the position that the read models have reached.
 */
@Injectable()
export class ServingIndex extends ServingStatus {
  readonly #log = new Logger('Serving');
  readonly #bySlug = new Map<string, string>();
  readonly #byId = new Map<string, ServedSite>();
  /** Custom domains of sites: hostnames that are not under the service's own domain. */
  readonly domains = new DomainIndex();
  readonly #progress = new PositionWaiter();

  constructor(
    private readonly store: EventStore,
    private readonly checkpoints: Checkpoints,
    @InjectDataSource() private readonly db: DataSource,
  ) {
    super();
  }

  /** Returns the site that has or had this slug. Its `slug` is the current one. */
  site(slug: string): ServedSite | undefined {
    const siteId = this.#bySlug.get(slug);
    return siteId === undefined ? undefined : this.#byId.get(siteId);
  }

  siteById(siteId: string): ServedSite | undefined {
    return this.#byId.get(siteId);
  }

  /** Returns the site with the visibility that it has at this hostname. */
  siteOn(hostname: string): ServedSite | undefined {
    const domain = this.domains.at(hostname);
    const site = domain && this.#byId.get(domain.siteId);
    return site && this.domains.shownBy(domain, site);
  }

  get position() {
    return this.#progress.position;
  }

  override reached(position: bigint) {
    return this.#progress.wait(position, 2_000);
  }

  override hides(slug: string, { userId }: Caller) {
    const site = this.site(slug);
    // A site without an owner is public until it is claimed, even for callers without its edit token.
    if (!site || site.anonymous) return false;
    return isHidden(site.visibility, userId !== null && site.members.has(userId));
  }

  /**
   * Builds the index, then follows the log until `signal` aborts. Resolves when the index is up to date, or earlier if
   * `signal` aborts or the event store has a problem, and at the latest after waiting for a minute.
   */
  async start(signal: AbortSignal) {
    // Read the checkpoint before the rows, so that no event is missed. Applying an event that the rows already include
    // changes nothing.
    const positions = await Promise.all(
      [siteReadModel, memberships, domainReadModel].map((model) => this.checkpoints.read(model)),
    );
    const position = positions.reduce((a, b) => (a < b ? a : b));
    const members = await this.#membersInRows();
    for (const row of await this.db.getRepository(DomainRow).findBy({ status: 'active' })) this.domains.load(row);
    // Several sites may have had the same slug. A live site takes precedence over other sites, and a site that was
    // updated later over one that was updated earlier.
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
        members: members.get(row.siteId) ?? NO_MEMBERS,
      });
      for (const slug of [...row.formerSlugs.split(' '), row.slug]) this.#bySlug.set(slug, row.siteId);
    }

    const end = await this.store.lastPosition();
    this.#progress.pass(position);
    this.#follow(position, signal).catch((error) =>
      this.#log.error('The serving index stopped following the event log', error),
    );
    const deadline = performance.now() + 60_000;
    // Wait for at most a minute. If the log does not contain the position of the checkpoint, the events never arrive,
    // and sites are served as the rows describe them.
    const isBehind = () => this.#progress.position < end && this.store.trouble === null;
    while (isBehind() && performance.now() < deadline && !signal.aborted)
      await orAborted(this.#progress.wait(end, 500), signal);
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
    if (isDomainStream(event.stream)) return this.domains.apply(event as Recorded<HostnameEvent>);
    if (!event.stream.startsWith('site-')) return;
    const change = event as Recorded & SiteEvent;
    const { type, data, revision } = change;
    const siteId = readSiteId(event.stream);
    if (type === 'SiteCreated')
      this.#create({ siteId, slug: data.slug, anonymous: data.editTokenHash !== null, revision });
    else if (movesLive(change)) {
      const { deployId, manifest, program } = change.data;
      this.#change(siteId, revision, ({ modifiedAt }) => ({
        deployId,
        manifest,
        program: program?.kind ?? null,
        modifiedAt: computeModifiedTime(modifiedAt, Date.parse(event.at)),
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
    } else if (type === 'CapabilitySet' && isServed(data.name)) {
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
      deployId: null,
      manifest: null,
      program: null,
      expiresAt: null,
      takenDown: false,
      modifiedAt: null,
      visibility: 'public',
      passwordId: null,
      members: NO_MEMBERS,
      robots: 'index',
      capabilities: NO_CAPABILITIES,
    });
  }

  #join(siteId: string, revision: number, userId: string) {
    this.#changeMembers(siteId, revision, (members) => members.add(userId));
  }

  #leave(siteId: string, revision: number, userId: string) {
    this.#changeMembers(siteId, revision, (members) => members.delete(userId));
  }

  /**
   * Changes the members of a site. Does not compare the revision with that of the site, because the members are loaded
   * from a different read model, which may be behind or ahead. If it is ahead, some changes are applied again, in
   * order, which leads to the same members.
   */
  #changeMembers(siteId: string, revision: number, change: (members: Set<string>) => void) {
    const site = this.#byId.get(siteId);
    if (!site) return;
    const members = new Set(site.members);
    change(members);
    this.#put({ ...site, members, revision: Math.max(site.revision, revision) });
  }

  /**
   * Changes a site. Ignores an event that the site already includes. Applying an event twice would be wrong, because
   * `modifiedAt` depends on the previous value.
   */
  #change(siteId: string, revision: number, change: (site: ServedSite) => Partial<ServedSite>) {
    const site = this.#byId.get(siteId);
    if (site && site.revision < revision) this.#put({ ...site, ...change(site), revision });
  }

  #forget(siteId: string) {
    this.#byId.delete(siteId);
  }

  #put(site: ServedSite) {
    const { siteId, slug, deployId, manifest, program, anonymous, expiresAt, takenDown, modifiedAt, revision } = site;
    const { visibility, passwordId, members, robots, capabilities } = site;
    this.#byId.set(siteId, {
      siteId,
      slug,
      deployId,
      manifest,
      program,
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

const isServed = (name: string): name is keyof ServedCapabilities => Object.hasOwn(NO_CAPABILITIES, name);

function capabilitiesIn({ capabilities }: SiteRow): ServedCapabilities {
  const { spa, listing, connector, analytics }: Partial<Record<string, { readonly enabled: boolean }>> =
    JSON.parse(capabilities);
  return {
    spa: spa?.enabled ?? false,
    listing: listing?.enabled ?? false,
    connector: connector?.enabled ?? false,
    analytics: analytics?.enabled ?? false,
  };
}
