import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ServerKind } from '../../events/site/deploy-server.js';
import { initialSettings, type PlainSettings } from '../../events/site/settings.events.js';
import { type LiveMove, movesLive, readSiteId, type SiteEvent, siteEvents } from '../../events/site/site.events.js';
import type { Recorded } from '../../kernel/event-store.js';
import { canonical } from '../../kernel/hashing/canonical.js';
import type { SiteFacts } from '../../kernel/rights/site-access.js';
import { defineReadModel } from '../read-model.js';
import type { MembershipRow } from './member.projection.js';

@Entity('sites')
export class SiteRow implements PlainSettings {
  @PrimaryColumn('text', { name: 'site_id' }) siteId!: string;
  /**
   * Slug of the site. It is not unique: long after this site was removed, another site can take the slug. The slug then
   * belongs to the newer site.
   */
  @Index('sites_slug')
  @Column('text')
  slug!: string;
  @Column('text') title!: string;
  @Column('text') description!: string;
  @Column('text') robots!: PlainSettings['robots'];
  @Column('text') visibility!: PlainSettings['visibility'];
  /** ID of the password that visitors must enter, or null if none is required. */
  @Column('text', { name: 'password_id', nullable: true }) passwordId!: string | null;
  /** Former slugs that the site still has, oldest first, separated by spaces. */
  @Column('text', { name: 'former_slugs' }) formerSlugs!: string;
  /** JSON object (canonical) that maps each capability of the site to its state and configuration. */
  @Column('text') capabilities!: string;
  @Column('text') status!: 'live' | 'expired' | 'deleted';
  /** SHA-256 hash of the edit token, or null for a site that has an owner. */
  @Column('text', { name: 'edit_token_hash', nullable: true }) editTokenHash!: string | null;
  @Column('text', { name: 'deploy_id', nullable: true }) deployId!: string | null;
  /** Digest of the live deploy’s manifest. */
  @Column('text', { nullable: true }) manifest!: string | null;
  /** Kind of the live server, or null for static files. */
  @Column('text', { nullable: true }) program!: ServerKind | null;
  @Column('integer') deploys!: number;
  /**
   * Time at which the site expires, even if that time has passed and the expiry is not recorded yet. Null for a
   * permanent site.
   */
  @Index('sites_expiring')
  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: Date | null;
  @Column('boolean', { name: 'taken_down' }) takenDown!: boolean;
  /** Time of the last visible change (`computeModifiedTime`). Null while the site has no content. */
  @Column('timestamptz', { name: 'modified_at', nullable: true }) modifiedAt!: Date | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt!: Date;
  @Column('integer') revision!: number;
}

/** Returns the properties of a site and of a user's membership that `determineAccess` needs. */
export const factsOfSite = (row: SiteRow, membership: MembershipRow | null): SiteFacts => ({
  status: row.status,
  visibility: row.visibility,
  expiresAt: row.expiresAt?.toISOString() ?? null,
  takenDown: row.takenDown,
  editTokenHash: row.editTokenHash,
  membership: membership && { memberId: membership.id, role: membership.role },
});

/**
 * Computes the `last-modified` of a site that switches to another deploy, in milliseconds since 1970, rounded to
 * seconds. Each change has a later time than the previous one, even after a rollback, two changes within a second, or
 * with a slow clock. It is also later than any second in which the previous content could be fetched, so that an older
 * copy is never mistaken for the latest (RFC 9110 section 8.8.2.2). It can be in the future, by at most one second per
 * change within the same second.
 */
export function computeModifiedTime(before: number | null, at: number): number {
  const second = Math.floor(at / 1_000) * 1_000;
  return before === null ? second : Math.max(second, before) + 1_000;
}

export const siteReadModel = defineReadModel<SiteRow, SiteEvent>(
  siteEvents.map(({ type }) => type),
  {
    name: 'site',
    version: 4,
    entity: SiteRow,
    touches: ({ stream }) => [readSiteId(stream)],

    evolve(row, event, siteId) {
      const at = new Date(event.at);
      if (event.type === 'SiteCreated') {
        const { slug, editTokenHash } = event.data;
        return {
          siteId,
          ...initialSettings,
          slug,
          formerSlugs: '',
          capabilities: '{}',
          status: 'live',
          editTokenHash,
          deployId: null,
          manifest: null,
          program: null,
          deploys: 0,
          expiresAt: null,
          takenDown: false,
          modifiedAt: null,
          createdAt: at,
          updatedAt: at,
          revision: event.revision,
        };
      }
      if (!row || event.type === 'SiteForgotten') return null;
      return { ...row, ...changeOf(row, event), updatedAt: at, revision: event.revision };
    },
  },
);

function changeOf(row: SiteRow, event: Recorded<SiteEvent>): Partial<SiteRow> {
  const shown = movesLive(event) ? republished(row, event) : null;
  switch (event.type) {
    case 'SiteDeployed':
      return { ...shown, deploys: event.data.number };
    case 'SiteStaged':
      return { deploys: event.data.number };
    case 'SiteExpirySet':
      return { expiresAt: new Date(event.data.expiresAt) };
    case 'SiteExpired':
      return { status: 'expired', expiresAt: row.expiresAt };
    case 'SiteClaimed':
      return { editTokenHash: null, expiresAt: null };
    case 'SiteAccessSet':
    case 'SiteDescribed':
      return event.data;
    case 'SiteRenamed': {
      const { slug, before } = event.data;
      const kept = row.formerSlugs.split(' ').filter((former) => former !== '' && former !== slug && former !== before);
      return { slug, formerSlugs: [...kept, before].join(' ') };
    }
    case 'SiteDeleted':
      return { status: 'deleted' };
    case 'CapabilitySet': {
      const { name, enabled, config } = event.data;
      return { capabilities: canonical({ ...JSON.parse(row.capabilities), [name]: { enabled, config } }) };
    }
    case 'SiteTakenDown':
      return { takenDown: true };
    case 'SiteRestored':
      return { takenDown: false };
    default:
      return shown ?? {};
  }
}

function republished({ modifiedAt }: SiteRow, { at, data }: Pick<LiveMove, 'data'> & { readonly at: string }) {
  return {
    deployId: data.deployId,
    manifest: data.manifest,
    program: data.program?.kind ?? null,
    modifiedAt: new Date(computeModifiedTime(modifiedAt?.getTime() ?? null, Date.parse(at))),
  };
}
