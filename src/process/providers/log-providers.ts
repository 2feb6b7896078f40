import { type Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { isWorkStream } from '../../events/work.events.js';
import { EventStore } from '../../kernel/event-store.js';
import { Ids } from '../../kernel/ids.js';
import { ReadModelWaiter } from '../../kernel/ports/read-models.js';
import { ServingStatus, UnavailableServingStatus } from '../../kernel/ports/serving-status.js';
import { WakeUps } from '../../kernel/ports/wake-ups.js';
import { GivenPositions } from '../../kernel/positions/given-positions.js';
import { WritePosition } from '../../kernel/positions/write-position.js';
import { Snapshots } from '../../kernel/snapshots.js';
import { Transactions } from '../../kernel/transactions.js';
import { ServingIndex } from '../../modules/serving/sites/serving-index.js';
import { provide } from '../../nest/provide.js';
import { Checkpoints } from '../../projections/projector/checkpoints.js';
import { LogIdentity } from '../../projections/projector/log-identity.js';
import { Projector } from '../../projections/projector/projector.js';
import { allReadModels } from '../../projections/read-models.js';
import { Rebuilder } from '../../projections/rebuild/rebuilder.js';
import { EventEngine } from '../../settings/settings.js';
import { PeerProgress } from '../../storage/cluster/peer-progress.js';
import { PeerWakeUps } from '../../storage/cluster/peer-wake-ups.js';
import { copyConnectionOptions } from '../../storage/postgres/connection-options.js';
import { ProcessContext } from '../context.js';

export function logProviders({ settings, pool }: ProcessContext): Provider[] {
  return [
    { provide: EventEngine, useValue: { name: settings.eventStoreUrl === null ? 'postgresql' : 'kurrentdb' } },
    provide(PeerProgress, [], () => new PeerProgress(copyConnectionOptions(pool))),
    provide(
      PeerWakeUps,
      [],
      () => new PeerWakeUps(pool, settings.databaseUrl === null ? null : copyConnectionOptions(pool)),
    ),
    { provide: WakeUps, useExisting: PeerWakeUps },
    WritePosition,
    provide(GivenPositions, [EventStore], (store) => new GivenPositions(() => store.lastPosition())),
    provide(
      Transactions,
      [EventStore, Snapshots, Ids, WritePosition, ServingStatus, PeerProgress],
      (store, snapshots, ids, writePosition, servingStatus, peerProgress) =>
        new Transactions(store, snapshots, ids, async (position, stream) => {
          // Skip the streams of connector work: nothing that other processes serve, read or decide depends on them.
          if (isWorkStream(stream)) return;
          writePosition.advanceTo(position);
          await Promise.all([servingStatus.reached(position), peerProgress.reached(position)]);
        }),
    ),
    provide(LogIdentity, [EventStore], (store) => new LogIdentity(pool, store)),
    provide(Checkpoints, [], () => new Checkpoints(pool, allReadModels)),
    { provide: ReadModelWaiter, useExisting: Checkpoints },
    provide(
      Projector,
      [EventStore, DataSource, Checkpoints],
      (store, db, checkpoints) => new Projector(store, pool, db, checkpoints),
    ),
    provide(Rebuilder, [EventStore, DataSource], (store, db) => new Rebuilder(store, pool, db, allReadModels)),
    settings.roles.has('serve') || settings.roles.has('api')
      ? { provide: ServingStatus, useExisting: ServingIndex }
      : { provide: ServingStatus, useClass: UnavailableServingStatus },
  ];
}
