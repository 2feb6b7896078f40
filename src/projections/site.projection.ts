import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { type SiteEvent, siteEvents, siteIdOf } from '../events/site.events.js';
import { readModel } from './read-model.js';

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
  @Column('text') visibility!: 'public' | 'password' | 'members';
  @Column('text') status!: 'live' | 'expired' | 'deleted';
  /** SHA-256 of the edit token; null for a site that belongs to somebody. */
  @Column('text', { name: 'edit_token_hash', nullable: true }) editTokenHash!: string | null;
  @Column('text', { name: 'deploy_id', nullable: true }) deployId!: string | null;
  /** Manifest of the live deploy. */
  @Column('text', { nullable: true }) manifest!: string | null;
  @Column('integer') deploys!: number;
  /** When it is gone, whether or not that was recorded yet; null for a site that stays. */
  @Index('sites_expiring')
  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: Date | null;
  @Column('boolean', { name: 'taken_down' }) takenDown!: boolean;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'updated_at' }) updatedAt!: Date;
  @Column('integer') revision!: number;
}

export const sites = readModel<SiteRow, SiteEvent>(
  siteEvents.map(({ type }) => type),
  {
    name: 'site',
    version: 1,
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
          visibility: 'public',
          status: 'live',
          editTokenHash,
          deployId: null,
          manifest: null,
          deploys: 0,
          expiresAt: null,
          takenDown: false,
          createdAt: at,
          updatedAt: at,
          revision: event.revision,
        };
      }
      if (!row) return null;
      return { ...row, ...changeOf(row, event), updatedAt: at, revision: event.revision };
    },
  },
);

function changeOf(row: SiteRow, event: SiteEvent): Partial<SiteRow> {
  switch (event.type) {
    case 'SiteDeployed':
      return { deployId: event.data.deployId, manifest: event.data.manifest, deploys: event.data.number };
    case 'SiteStaged':
      return { deploys: event.data.number };
    case 'SiteRolledBack':
      return { deployId: event.data.deployId, manifest: event.data.manifest };
    case 'SiteExpirySet':
      return { expiresAt: new Date(event.data.expiresAt) };
    case 'SiteExpired':
      return { status: 'expired', expiresAt: row.expiresAt };
    case 'SiteClaimed':
      return { editTokenHash: null, expiresAt: null };
    case 'SiteTakenDown':
      return { takenDown: true };
    case 'SiteRestored':
      return { takenDown: false };
    default:
      return {};
  }
}
