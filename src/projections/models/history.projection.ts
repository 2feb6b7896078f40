import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { readSiteId, type SiteEvent, siteEvents } from '../../events/site/site.events.js';
import { defineReadModel } from '../read-model.js';

/** The audit trail: all events of all sites as they were recorded. */
@Entity('history')
@Index('history_of_site', ['siteId', 'revision'])
export class HistoryRow {
  @PrimaryColumn('text') id!: string;
  @Column('text', { name: 'site_id' }) siteId!: string;
  @Column('integer') revision!: number;
  @Column('bigint') position!: string;
  @Column('text') type!: string;
  @Column('integer') schema!: number;
  @Column('timestamptz') at!: Date;
  @Column('text') actor!: string;
  /** The event's data exactly as stored, even if its schema version is old. The hash was computed from this JSON. */
  @Column('text') data!: string;
  @Column('text') hash!: string;
  @Column('text', { name: 'previous_hash', nullable: true }) previousHash!: string | null;
}

export const historyReadModel = defineReadModel<HistoryRow, SiteEvent>(
  siteEvents.map(({ type }) => type),
  {
    name: 'history',
    version: 1,
    entity: HistoryRow,
    appendOnly: true,
    touches: ({ id, type }) => (type === 'SiteForgotten' ? [] : [id]),
    forgets: ({ type, stream }) => (type === 'SiteForgotten' ? readSiteId(stream) : null),

    evolve: (_, { id, stream, revision, position, type, schema, at, actor, stored, hash, previousHash }) => ({
      id,
      siteId: readSiteId(stream),
      revision,
      position: String(position),
      type,
      schema,
      at: new Date(at),
      actor: JSON.stringify(actor),
      data: stored,
      hash: hash ?? '',
      previousHash,
    }),
  },
);
