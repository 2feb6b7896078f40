import { Inject, Injectable } from '@nestjs/common';
import { LiveStreams } from '../../edge/live/live-streams.js';
import { EventStore } from '../../kernel/event-store.js';
import { ServingStatus } from '../../kernel/ports/serving-status.js';
import { WritePosition } from '../../kernel/positions/write-position.js';
import { StatusBoard } from '../../modules/status/board/status-board.js';
import { Prober } from '../../modules/status/probes/prober.js';
import { type Service } from '../../nest/lifecycle.js';
import { PeerProgress } from '../../storage/cluster/peer-progress.js';
import { PeerWakeUps } from '../../storage/cluster/peer-wake-ups.js';
import { ProcessContext } from '../context.js';

/** What follows the log for others: the other processes on this database, and clients that watch. */
@Injectable()
export class LiveServices {
  constructor(
    @Inject(ProcessContext) private readonly context: ProcessContext,
    @Inject(EventStore) private readonly store: EventStore,
    @Inject(PeerProgress) private readonly peerProgress: PeerProgress,
    @Inject(WritePosition) private readonly writePosition: WritePosition,
    @Inject(ServingStatus) private readonly servingStatus: ServingStatus,
    @Inject(LiveStreams) private readonly live: LiveStreams,
    @Inject(PeerWakeUps) private readonly wakeUps: PeerWakeUps,
    @Inject(StatusBoard) private readonly statusBoard: StatusBoard,
    @Inject(Prober) private readonly prober: Prober,
  ) {}

  list(): Service[] {
    return [
      ...(this.context.settings.databaseUrl === null ? [] : this.#peers()),
      { name: 'wake-ups', roles: ['api', 'serve', 'worker'], start: (signal) => this.wakeUps.start(signal) },
      { name: 'live streams', roles: ['api'], start: () => this.live.start(), stop: () => this.live.stop() },
      // Where the status page is: what is seen from there is what can be said there.
      { name: 'status', roles: ['api'], start: async () => void this.statusBoard.refresh() },
      {
        name: 'probes',
        roles: ['api'],
        start: async (signal) => this.prober.start(signal),
        stop: () => this.prober.stopped(),
      },
    ];
  }

  #peers(): Service[] {
    const { store, peerProgress, writePosition, servingStatus } = this;
    const catchUp = async (position: bigint) => {
      writePosition.advanceTo(position);
      await servingStatus.reached(position);
    };
    return [
      { name: 'peer connection', start: (signal) => peerProgress.start(signal) },
      {
        name: 'peer progress',
        roles: ['api', 'serve'],
        start: (signal) => peerProgress.follow(store, catchUp, signal),
      },
    ];
  }
}
