import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { jobStream } from '../../../events/job.events.js';
import { Addresses } from '../../../http/api/service-urls.js';
import type { Who } from '../../../kernel/command-context.js';
import type { Watched } from '../../../live/live-stream.js';
import { LiveStreams } from '../../../live/live-streams.js';
import { JobReader } from '../show-job/job-reader.js';
import { finalTypes, shownEvent } from './job-client-event.js';

/** Jobs as clients watch them. Who may read a job may watch it. */
@Injectable()
export class WatchedJobs implements OnModuleInit {
  constructor(
    @Inject(JobReader) private readonly reader: JobReader,
    @Inject(LiveStreams) private readonly live: LiveStreams,
    @Inject(Addresses) private readonly addresses: Addresses,
  ) {}

  onModuleInit() {
    this.live.names.offer('job', (id, who) => this.of(id, who));
  }

  /** Refuses as the snapshot does. */
  async of(jobId: string, who: Who): Promise<Watched> {
    const caller = await who();
    const { slug } = await this.reader.getFor(jobId, caller);
    return {
      stream: jobStream(jobId),
      finalTypes,
      frameOf: (event) => shownEvent(event, slug, this.addresses),
      mayWatch: async () => void (await this.reader.getFor(jobId, await who())),
      session: caller.userId ?? caller.editTokenHash,
    };
  }
}
