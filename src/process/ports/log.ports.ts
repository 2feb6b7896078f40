import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { PeerProgress } from '../../cluster/peer-progress.js';
import { EventStore } from '../../kernel/event-store.js';
import { Ids } from '../../kernel/ids.js';
import { ClusterSignal } from '../../kernel/ports/cluster-signal.js';
import { ReadModels } from '../../kernel/ports/read-models.js';
import { NoServing, ServingStatus } from '../../kernel/ports/serving-status.js';
import { Snapshots } from '../../kernel/snapshots.js';
import { Transactions } from '../../kernel/transactions.js';
import { WritePosition } from '../../kernel/write-position.js';
import { ServingIndex } from '../../modules/serving/sites/serving-index.js';
import { connectionOf } from '../../postgres/connection-of.js';
import { Checkpoints } from '../../projections/projector/checkpoints.js';
import { LogIdentity } from '../../projections/projector/log-identity.js';
import { Projector } from '../../projections/projector/projector.js';
import { readModels } from '../../projections/read-models.js';
import { Rebuilder } from '../../projections/rebuild/rebuilder.js';
import { EventEngine } from '../../settings.js';
import { PostgresSnapshots } from '../../store/postgres/postgres.snapshots.js';
import { type EventEngines, eventStoreOf, otherProcessesOf } from '../engines.js';
import type { ProcessContext } from '../process-context.js';

/** The log, who writes to it, and what is read of it. */
export function logPorts({ settings, pool }: ProcessContext) {
  return [
    { provide: EventStore, useFactory: () => eventStoreOf(settings, pool) },
    { provide: EventEngine, useValue: { name: settings.eventStoreUrl === null ? 'postgresql' : 'kurrentdb' } },
    { provide: Snapshots, useFactory: () => new PostgresSnapshots(pool) },
    {
      provide: ClusterSignal,
      inject: [EventStore],
      useFactory: (store: EventEngines) => otherProcessesOf(settings, store),
    },
    { provide: PeerProgress, useFactory: () => new PeerProgress(connectionOf(pool)) },
    WritePosition,
    {
      provide: Transactions,
      inject: [EventStore, Snapshots, Ids, WritePosition, ServingStatus, ClusterSignal, PeerProgress],
      useFactory: (
        store: EventStore,
        snapshots: Snapshots,
        ids: Ids,
        writePosition: WritePosition,
        servingStatus: ServingStatus,
        clusterSignal: ClusterSignal,
        peerProgress: PeerProgress,
      ) =>
        new Transactions(store, snapshots, ids, async (position) => {
          clusterSignal.tell(position);
          writePosition.advanceTo(position);
          await Promise.all([servingStatus.reached(position), peerProgress.reached(position)]);
        }),
    },
    {
      provide: LogIdentity,
      inject: [EventStore],
      useFactory: (store: EventStore) => new LogIdentity(pool, store),
    },
    { provide: Checkpoints, useFactory: () => new Checkpoints(pool, readModels) },
    { provide: ReadModels, useExisting: Checkpoints },
    {
      provide: Projector,
      inject: [EventStore, getDataSourceToken(), Checkpoints],
      useFactory: (store: EventStore, db: DataSource, checkpoints: Checkpoints) =>
        new Projector(store, pool, db, checkpoints),
    },
    {
      provide: Rebuilder,
      inject: [EventStore, getDataSourceToken()],
      useFactory: (store: EventStore, db: DataSource) => new Rebuilder(store, pool, db, readModels),
    },
    settings.roles.has('serve') || settings.roles.has('api')
      ? { provide: ServingStatus, useExisting: ServingIndex }
      : { provide: ServingStatus, useClass: NoServing },
  ];
}
