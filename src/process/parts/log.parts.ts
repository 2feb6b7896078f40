import { Inject, Injectable } from '@nestjs/common';
import { RedisSignal } from '../../cluster/redis-signal.js';
import { EventStore } from '../../kernel/event-store.js';
import { ClusterSignal } from '../../kernel/ports/cluster-signal.js';
import { Snapshots } from '../../kernel/snapshots.js';
import { WritePosition } from '../../kernel/write-position.js';
import type { PostgresSnapshots } from '../../store/postgres/postgres.snapshots.js';
import type { EventEngines } from '../engines.js';
import type { Part } from '../nest/lifecycle.js';

/** The log, which everything else reads. */
@Injectable()
export class LogParts {
  constructor(
    @Inject(EventStore) private readonly store: EventEngines,
    @Inject(Snapshots) private readonly snapshots: PostgresSnapshots,
    @Inject(ClusterSignal) private readonly clusterSignal: ClusterSignal,
    @Inject(WritePosition) private readonly writePosition: WritePosition,
  ) {}

  list(): Part[] {
    const { store, snapshots, clusterSignal, writePosition } = this;
    return [
      { name: 'event store', start: (signal) => store.start(signal), stop: () => store.stop() },
      { name: 'snapshots', start: () => snapshots.start() },
      ...(clusterSignal instanceof RedisSignal
        ? [{ name: 'other processes', start: () => clusterSignal.start(), stop: () => clusterSignal.stop() }]
        : []),
      { name: 'what was written before', start: async () => writePosition.advanceTo(await store.lastPosition()) },
    ];
  }
}
