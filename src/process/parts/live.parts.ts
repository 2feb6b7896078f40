import { Inject, Injectable } from '@nestjs/common';
import { Neighbours } from '../../cluster/peer-progress.js';
import { EventStore } from '../../kernel/event-store.js';
import { Served } from '../../kernel/ports/serving-status.js';
import { Written } from '../../kernel/write-position.js';
import { LiveStreams } from '../../live/live-streams.js';
import type { Part } from '../nest/lifecycle.js';
import { Surroundings } from '../process-context.js';

/** Who hears of what is written: the other processes on this database, and whoever watches. */
@Injectable()
export class LiveParts {
  constructor(
    @Inject(Surroundings) private readonly surroundings: Surroundings,
    @Inject(EventStore) private readonly store: EventStore,
    @Inject(Neighbours) private readonly neighbours: Neighbours,
    @Inject(Written) private readonly written: Written,
    @Inject(Served) private readonly served: Served,
    @Inject(LiveStreams) private readonly live: LiveStreams,
  ) {}

  list(): Part[] {
    const { store, neighbours, written, served, live } = this;
    const here = async (position: bigint) => {
      written.upTo(position);
      await served.reached(position);
    };
    return [
      ...(this.surroundings.settings.databaseUrl === null
        ? []
        : ([
            { name: 'neighbours', start: (signal) => neighbours.start(signal) },
            {
              name: 'what neighbours wrote',
              roles: ['api', 'serve'],
              start: (signal) => neighbours.follow(store, here, signal),
            },
          ] satisfies Part[])),
      { name: 'live streams', roles: ['api'], start: () => live.start(), stop: () => live.stop() },
    ];
  }
}
