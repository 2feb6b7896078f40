import { Inject, Injectable } from '@nestjs/common';
import { PeerProgress } from '../../cluster/peer-progress.js';
import { EventStore } from '../../kernel/event-store.js';
import { ServingStatus } from '../../kernel/ports/serving-status.js';
import { WritePosition } from '../../kernel/write-position.js';
import { LiveStreams } from '../../live/live-streams.js';
import type { Part } from '../nest/lifecycle.js';
import { ProcessContext } from '../process-context.js';

/** Who hears of what is written: the other processes on this database, and whoever watches. */
@Injectable()
export class LiveParts {
  constructor(
    @Inject(ProcessContext) private readonly context: ProcessContext,
    @Inject(EventStore) private readonly store: EventStore,
    @Inject(PeerProgress) private readonly peerProgress: PeerProgress,
    @Inject(WritePosition) private readonly writePosition: WritePosition,
    @Inject(ServingStatus) private readonly servingStatus: ServingStatus,
    @Inject(LiveStreams) private readonly live: LiveStreams,
  ) {}

  list(): Part[] {
    const { store, peerProgress, writePosition, servingStatus, live } = this;
    const here = async (position: bigint) => {
      writePosition.advanceTo(position);
      await servingStatus.reached(position);
    };
    return [
      ...(this.context.settings.databaseUrl === null
        ? []
        : ([
            { name: 'neighbours', start: (signal) => peerProgress.start(signal) },
            {
              name: 'what neighbours wrote',
              roles: ['api', 'serve'],
              start: (signal) => peerProgress.follow(store, here, signal),
            },
          ] satisfies Part[])),
      { name: 'live streams', roles: ['api'], start: () => live.start(), stop: () => live.stop() },
    ];
  }
}
