import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ProgramKind } from '../../events/site/program.js';
import type { Visibility } from '../../events/site/settings.events.js';
import { type SiteEvent, siteEvents, siteIdOf } from '../../events/site/site.events.js';
import type { Recorded } from '../../kernel/event-store.js';
import { canonical } from '../../kernel/hashing/canonical.js';
import type { SiteFacts } from '../../kernel/rights/site-access.js';
import { readModel } from '../read-model.js';
import type { MembershipRow } from './member.projection.js';

/** Each site as it stands. */
@Entity('sites')
export class SiteRow {
  @PrimaryColumn('text', { name: 'site_id' }) siteId!: string;
  /** Not unique: long after a site is gone another may take its slug. The newest has it. */
  @Index('sites_slug')
  @Column('text')
  slug!: string;
  @Column('text') title!: string;
  @Column('text') description!: string;
  @Column('text') robots!: 'index' | 'noindex';
  @Column('text') visibility!: Visibility;
  /** Id of the password that visitors must know; null where none is asked for. */
  @Column('text', { name: 'password_id', nullable: true }) passwordId!: string | null;
  /** Slugs that it had before and keeps, the oldest first, with a blank between them. */
  @Column('text', { name: 'former_slugs' }) formerSlugs!: string;
  /** Canonical JSON: by name, whether it is switched on, and how it is set. */
  @Column('text') capabilities!: string;
  @Column('text') status!: 'live' | 'expired' | 'deleted';
  /** SHA-256 of the edit token; null for a site that has an owner. */
  @Column('text', { name: 'edit_token_hash', nullable: true }) editTokenHash!: string | null;
  @Column('text', { name: 'deploy_id', nullable: true }) deployId!: string | null;
  /** Manifest of the live deploy. */
  @Column('text', { nullable: true }) manifest!: string | null;
  /** How the live deploy runs; null where it is files. */
  @Column('text', { nullable: true }) program!: ProgramKind | null;
  @Column('integer') deploys!: number;
  /** When it is gone, whether or not that was recorded yet; null for a site that stays. */
  @Index('sites_expiring')
  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: Date | null;
  @Column('boolean', { name: 'taken_down' }) takenDown!: boolean;
  /** When what visitors see last changed, as `modifiedAfter` has it; null while there is nothing to see. */
  @Column('timestamptz', { name: 'modified_at', nullable: true }) modifiedAt!: Date | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt!: Date;
  @Column('integer') revision!: number;
}

/** Returns what decides a caller’s rights on the site (`determineAccess`). */
export const factsOfSite = (row: SiteRow, membership: MembershipRow | null): SiteFacts => ({
  status: row.status,
  visibility: row.visibility,
  expiresAt: row.expiresAt?.toISOString() ?? null,
  takenDown: row.takenDown,
  editTokenHash: row.editTokenHash,
  membership: membership && { memberId: membership.id, role: membership.role },
});

/**
 * The `last-modified` of a site once it shows another deploy: milliseconds since 1970, whole seconds. Each change has a
 * later one than the change before, also a rollback, two in one second, and one by a clock that is behind; and it is
 * after every second in which what was replaced could still be fetched. So a copy of anything older is never taken for
 * the newest (RFC 9110 section 8.8.2.2). It may lie in the future, by as many seconds as there were changes in one.
 */
export function modifiedAfter(before: number | null, at: number): number {
  const second = Math.floor(at / 1_000) * 1_000;
  return before === null ? second : Math.max(second, before) + 1_000;
}

export const sites = readModel<SiteRow, SiteEvent>(
  siteEvents.map(({ type }) => type),
  {
    name: 'site',
    version: 4,
    entity: SiteRow,
    touches: ({ stream }) => [siteIdOf(stream)],

    evolve(row, event, siteId) {
      const at = new Date(event.at);
      if (event.type === 'SiteCreated') {
        const { slug, editTokenHash } = event.data;
        return {
          siteId,
          slug,
          title: '',
          description: '',
          robots: 'index',
          visibility: 'public',
          passwordId: null,
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
  switch (event.type) {
    case 'SiteDeployed':
      return { ...republished(row, event), deploys: event.data.number };
    case 'SiteStaged':
      return { deploys: event.data.number };
    case 'SiteRolledBack':
      return republished(row, event);
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
      return {};
  }
}

function republished(
  { modifiedAt }: SiteRow,
  { at, data }: Pick<Extract<SiteEvent, { type: 'SiteDeployed' | 'SiteRolledBack' }>, 'data'> & { readonly at: string },
) {
  return {
    deployId: data.deployId,
    manifest: data.manifest,
    program: data.program?.kind ?? null,
    modifiedAt: new Date(modifiedAfter(modifiedAt?.getTime() ?? null, Date.parse(at))),
  };
}
