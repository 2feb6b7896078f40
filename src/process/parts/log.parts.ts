import { Inject, Injectable } from '@nestjs/common';
import { EventStore } from '../../kernel/event-store.js';
import { OtherProcesses } from '../../kernel/other-processes.js';
import { Snapshots } from '../../kernel/snapshots.js';
import { Written } from '../../kernel/written.js';
import { RedisProcesses } from '../../outside/redis/redis-processes.js';
import type { PostgresSnapshots } from '../../store/postgres.snapshots.js';
import type { Part } from '../../wiring/lifecycle.js';
import type { EventEngines } from '../engines.js';

/** The log, which everything else reads. */
@Injectable()
export class LogParts {
  constructor(
    @Inject(EventStore) private readonly store: EventEngines,
    @Inject(Snapshots) private readonly snapshots: PostgresSnapshots,
    @Inject(OtherProcesses) private readonly others: OtherProcesses,
    @Inject(Written) private readonly written: Written,
  ) {}

  list(): Part[] {
    const { store, snapshots, others, written } = this;
    return [
      { name: 'event store', start: (signal) => store.start(signal), stop: () => store.stop() },
      { name: 'snapshots', start: () => snapshots.start() },
      ...(others instanceof RedisProcesses
        ? [{ name: 'other processes', start: () => others.start(), stop: () => others.stop() }]
        : []),
      { name: 'what was written before', start: async () => written.upTo(await store.lastPosition()) },
    ];
  }
}
