import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ServerKind } from '../../events/site/deploy-server.js';
import {
  readSiteId,
  SiteDeployed,
  type SiteEvent,
  SiteForgotten,
  SiteRolledBack,
  SiteStaged,
} from '../../events/site/site.events.js';
import { defineReadModel } from '../read-model.js';

/** All deploys of all sites, including when each was last live. */
@Entity('deploys')
@Index('deploys_of_site', ['siteId', 'number'])
export class DeployRow {
  @PrimaryColumn('text', { name: 'deploy_id' }) deployId!: string;
  @Column('text', { name: 'site_id' }) siteId!: string;
  @Column('integer') number!: number;
  @Column('text') status!: 'live' | 'superseded' | 'staged';
  @Column('integer') files!: number;
  @Column('bigint') bytes!: string;
  /** Digest of the deploy's manifest, or of the server’s output or image. */
  @Column('text') manifest!: string;
  /** The kind of server, or null for a deploy of static files. */
  @Column('text', { nullable: true }) program!: ServerKind | null;
  @Column('text') source!: 'upload' | 'repo' | 'code' | 'mcp';
  @Column('text', { nullable: true }) message!: string | null;
  @Column('text', { name: 'job_id', nullable: true }) jobId!: string | null;
  @Column('text', { nullable: true }) commit!: string | null;
  /** Digest of the signed provenance statement, or null if there is none. */
  @Column('text', { nullable: true }) provenance!: string | null;
  /** Whether a trusted job built the deploy. Null if the deploy was uploaded or this was not recorded. */
  @Column('boolean', { nullable: true }) trusted!: boolean | null;
  /** How the program that sent the deploy named itself. */
  @Column('text', { nullable: true }) client!: string | null;
  @Column('text', { name: 'actor_kind' }) actorKind!: 'anonymous' | 'user' | 'system';
  @Column('text', { name: 'actor_id', nullable: true }) actorId!: string | null;
  /** Name of the connected app that made the deploy, as the app reported it. */
  @Column('text', { name: 'actor_client', nullable: true }) actorClient!: string | null;
  @Column('text', { name: 'actor_grant', nullable: true }) actorGrant!: string | null;
  @Column('text', { name: 'actor_token', nullable: true }) actorToken!: string | null;
  @Column('text', { name: 'actor_publisher', nullable: true }) actorPublisher!: string | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  /** Start of the most recent period in which the deploy was live. */
  @Column('timestamptz', { name: 'live_from', nullable: true }) liveFrom!: Date | null;
  @Column('timestamptz', { name: 'live_until', nullable: true }) liveUntil!: Date | null;
}

type DeployEvent = Extract<SiteEvent, { type: 'SiteDeployed' | 'SiteStaged' | 'SiteRolledBack' | 'SiteForgotten' }>;

const types = [SiteDeployed.type, SiteStaged.type, SiteRolledBack.type, SiteForgotten.type] as const;

export const deployReadModel = defineReadModel<DeployRow, DeployEvent>(types, {
  name: 'deploy',
  version: 6,
  entity: DeployRow,

  touches({ type, data }) {
    if (type === 'SiteForgotten') return [];
    if (type === 'SiteStaged') return [data.deployId];
    return data.replaced === null ? [data.deployId] : [data.deployId, data.replaced];
  },

  forgets: ({ type, stream }) => (type === 'SiteForgotten' ? readSiteId(stream) : null),

  evolve(row, event, deployId) {
    if (event.type === 'SiteForgotten') return row ?? null;
    const at = new Date(event.at);
    if (event.type !== 'SiteRolledBack' && event.data.deployId === deployId) {
      const { number, files, bytes, manifest, source, message, jobId, commit, provenance, program, trusted, client } =
        event.data;
      const isLive = event.type === 'SiteDeployed';
      return {
        deployId,
        siteId: readSiteId(event.stream),
        number,
        status: isLive ? 'live' : 'staged',
        files,
        bytes: String(bytes),
        manifest,
        program: program?.kind ?? null,
        source,
        message,
        jobId,
        commit,
        provenance,
        trusted,
        client,
        actorKind: event.actor.kind,
        actorId: event.actor.id ?? null,
        actorClient: event.actor.client ?? null,
        actorGrant: event.actor.grant ?? null,
        actorToken: event.actor.token ?? null,
        actorPublisher: event.actor.publisher ?? null,
        createdAt: at,
        liveFrom: isLive ? at : null,
        liveUntil: null,
      };
    }
    if (!row) return null;
    if (event.data.deployId === deployId) return { ...row, status: 'live', liveFrom: at, liveUntil: null };
    return { ...row, status: 'superseded', liveUntil: at };
  },
});
