import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import type { LiveStream } from '../../../edge/live/live-stream.js';
import { LiveStreamServer } from '../../../edge/live/live-streams.js';
import { selectTypes } from '../../../events/event-type.js';
import { jobStream } from '../../../events/job.events.js';
import { siteEvents, siteStream } from '../../../events/site/site.events.js';
import type { Caller, IdentifyCaller } from '../../../kernel/command-context.js';
import { ReadModelWaiter } from '../../../kernel/ports/read-models.js';
import { WritePosition } from '../../../kernel/positions/write-position.js';
import type { JobRow } from '../../../projections/models/job.projection.js';
import { JobReader } from '../show-job/job-reader.js';
import { finalTypes, jobClientEvent } from './job-event-shapes.js';
import { jobText } from './job-text.js';

const rightsTypes = selectTypes(siteEvents, 'changesRights');

@Injectable()
export class JobLiveStreams implements OnModuleInit {
  constructor(
    private readonly reader: JobReader,
    private readonly live: LiveStreamServer,
    private readonly urls: ServiceUrls,
    private readonly readModels: ReadModelWaiter,
    private readonly writePosition: WritePosition,
  ) {}

  onModuleInit() {
    this.live.resolver.offer('job', (id, who) => this.of(id, who));
  }

  /** Returns the live stream of a job. Refuses callers for the same reasons as the endpoint that returns the job. */
  async of(jobId: string, identify: IdentifyCaller): Promise<LiveStream> {
    const caller = await identify();
    const { slug, siteId } = await this.reader.getFor(jobId, caller);
    return {
      stream: jobStream(jobId),
      finalTypes,
      frameOf: (event) => jobClientEvent(event, slug, this.urls),
      textOf: jobText,
      rightsTypes,
      rightsStream: siteStream(siteId),
      assertCanWatch: async () => this.#assertCanWatch({ jobId, siteId }, await identify()),
      session: caller.userId ?? caller.editTokenHash,
    };
  }

  /**
   * Refuses a caller who can no longer read the job. Waits until the read models include the event after which the
   * rights are checked. If the site has been deleted, callers may watch until the event that stops the job, which ends
   * the stream.
   */
  async #assertCanWatch({ jobId, siteId }: Pick<JobRow, 'jobId' | 'siteId'>, caller: Caller): Promise<void> {
    await this.readModels.reached(this.writePosition.position);
    if (await this.reader.isSiteDeleted(siteId)) return;
    await this.reader.getFor(jobId, caller);
  }
}
