import { Logger } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { Neighbours } from '../../cluster/peer-progress.js';
import { EventStore } from '../../kernel/event-store.js';
import { Ids } from '../../kernel/ids.js';
import { OtherProcesses } from '../../kernel/ports/cluster-signal.js';
import { ReadModels } from '../../kernel/ports/read-models.js';
import { Served, ServedByOthers } from '../../kernel/ports/serving-status.js';
import { Snapshots } from '../../kernel/snapshots.js';
import { Transactions } from '../../kernel/transactions.js';
import { Written } from '../../kernel/write-position.js';
import { ServingIndex } from '../../modules/serving/sites/serving-index.js';
import { connectionOf } from '../../postgres/connection-of.js';
import { Checkpoints } from '../../projections/projector/checkpoints.js';
import { FollowedLog } from '../../projections/projector/log-identity.js';
import { Keeper } from '../../projections/projector/projector.js';
import { readModels } from '../../projections/read-models.js';
import { Rebuilder } from '../../projections/rebuild/rebuilder.js';
import { EventEngine } from '../../settings.js';
import { PostgresSnapshots } from '../../store/postgres/postgres.snapshots.js';
import { type EventEngines, eventStoreOf, otherProcessesOf } from '../engines.js';
import type { Surroundings } from '../process-context.js';

/** The log, who writes to it, and what is read of it. */
export function logPorts({ settings, pool }: Surroundings) {
  const log = new Logger('Read models');
  const onError = (model: string, error: unknown) =>
    log.warn(`${model}: ${error instanceof Error ? error.message : error}; trying again`);

  return [
    { provide: EventStore, useFactory: () => eventStoreOf(settings, pool) },
    { provide: EventEngine, useValue: { name: settings.eventStoreUrl === null ? 'postgresql' : 'kurrentdb' } },
    { provide: Snapshots, useFactory: () => new PostgresSnapshots(pool) },
    {
      provide: OtherProcesses,
      inject: [EventStore],
      useFactory: (store: EventEngines) => otherProcessesOf(settings, store),
    },
    { provide: Neighbours, useFactory: () => new Neighbours(connectionOf(pool)) },
    Written,
    {
      provide: Transactions,
      inject: [EventStore, Snapshots, Ids, Written, Served, OtherProcesses, Neighbours],
      useFactory: (
        store: EventStore,
        snapshots: Snapshots,
        ids: Ids,
        written: Written,
        served: Served,
        others: OtherProcesses,
        neighbours: Neighbours,
      ) =>
        new Transactions(store, snapshots, ids, async (position) => {
          others.tell(position);
          written.upTo(position);
          await Promise.all([served.reached(position), neighbours.reached(position)]);
        }),
    },
    {
      provide: FollowedLog,
      inject: [EventStore],
      useFactory: (store: EventStore) => new FollowedLog(pool, store),
    },
    { provide: Checkpoints, useFactory: () => new Checkpoints(pool, readModels) },
    { provide: ReadModels, useExisting: Checkpoints },
    {
      provide: Keeper,
      inject: [EventStore, getDataSourceToken(), Checkpoints],
      useFactory: (store: EventStore, db: DataSource, checkpoints: Checkpoints) =>
        new Keeper(store, pool, db, checkpoints, onError),
    },
    {
      provide: Rebuilder,
      inject: [EventStore, getDataSourceToken()],
      useFactory: (store: EventStore, db: DataSource) => new Rebuilder(store, pool, db, readModels),
    },
    settings.roles.has('serve') || settings.roles.has('api')
      ? { provide: Served, useExisting: ServingIndex }
      : { provide: Served, useClass: ServedByOthers },
  ];
}
