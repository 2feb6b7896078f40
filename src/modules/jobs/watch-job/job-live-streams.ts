import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import type { LiveStream } from '../../../edge/live/live-stream.js';
import { LiveStreamServer } from '../../../edge/live/live-streams.js';
import { jobStream } from '../../../events/job.events.js';
import type { IdentifyCaller } from '../../../kernel/command-context.js';
import { JobReader } from '../show-job/job-reader.js';
import { finalTypes, jobClientEvent } from './job-event-shapes.js';
import { jobText } from './job-text.js';

@Injectable()
export class JobLiveStreams implements OnModuleInit {
  constructor(
    private readonly reader: JobReader,
    private readonly live: LiveStreamServer,
    private readonly urls: ServiceUrls,
  ) {}

  onModuleInit() {
    this.live.resolver.offer('job', (id, who) => this.of(id, who));
  }

  /** Returns the live stream of a job. Refuses callers for the same reasons as the endpoint that returns the job. */
  async of(jobId: string, identify: IdentifyCaller): Promise<LiveStream> {
    const caller = await identify();
    const { slug } = await this.reader.getFor(jobId, caller);
    return {
      stream: jobStream(jobId),
      finalTypes,
      frameOf: (event) => jobClientEvent(event, slug, this.urls),
      textOf: jobText,
      assertCanWatch: async () => void (await this.reader.getFor(jobId, await identify())),
      session: caller.userId ?? caller.editTokenHash,
    };
  }
}
