import { Column, Entity, PrimaryColumn } from 'typeorm';
import {
  type RepositoryEvent,
  SiteRepositoryLinked,
  SiteRepositoryUnlinked,
} from '../../events/site/repository.events.js';
import { SiteDeleted } from '../../events/site/settings.events.js';
import { readSiteId, type SiteEvent, SiteJobQueued } from '../../events/site/site.events.js';
import { defineReadModel } from '../read-model.js';

@Entity('scheduled_builds')
export class ScheduledBuildRow {
  @PrimaryColumn('text', { name: 'site_id' }) siteId!: string;
  /** Cron expression with five fields, in UTC. */
  @Column('text') schedule!: string;
  /**
   * Time of the last scheduled build, or the time at which the link was created if there was none. No build is due at
   * or before this time.
   */
  @Column('timestamptz', { name: 'done_until' }) doneUntil!: Date;
}

type ScheduleEvent = RepositoryEvent | Extract<SiteEvent, { type: 'SiteJobQueued' | 'SiteDeleted' }>;

const types = [SiteRepositoryLinked.type, SiteRepositoryUnlinked.type, SiteJobQueued.type, SiteDeleted.type] as const;

export const scheduledBuilds = defineReadModel<ScheduledBuildRow, ScheduleEvent>(types, {
  name: 'scheduled_build',
  version: 1,
  entity: ScheduledBuildRow,

  touches: ({ type, data, stream }) => (type === 'SiteJobQueued' && data.dueAt === null ? [] : [readSiteId(stream)]),

  evolve(row, event, siteId) {
    switch (event.type) {
      case 'SiteRepositoryLinked': {
        const { schedule } = event.data;
        return schedule === null ? null : { siteId, schedule, doneUntil: new Date(event.at) };
      }
      case 'SiteJobQueued':
        return row && event.data.dueAt !== null ? { ...row, doneUntil: new Date(event.data.dueAt) } : (row ?? null);
      default:
        return null;
    }
  },
});
