import { Inject, Injectable } from '@nestjs/common';
import { RedisProcesses } from '../../cluster/redis-signal.js';
import { EventStore } from '../../kernel/event-store.js';
import { OtherProcesses } from '../../kernel/ports/cluster-signal.js';
import { Snapshots } from '../../kernel/snapshots.js';
import { Written } from '../../kernel/write-position.js';
import type { PostgresSnapshots } from '../../store/postgres/postgres.snapshots.js';
import type { EventEngines } from '../engines.js';
import type { Part } from '../nest/lifecycle.js';

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
