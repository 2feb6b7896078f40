import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { SpoolFolder } from '../content/uploads/spool/spool-folder.js';
import { LiveStreamServer } from '../edge/live/live-streams.js';
import { EventStore } from '../kernel/event-store.js';
import { NoRedis } from '../kernel/ports/outside/redis-health.js';
import { ServingStatus } from '../kernel/ports/serving-status.js';
import { WritePosition } from '../kernel/positions/write-position.js';
import { LogWriter } from '../modules/servers/output/log-writer.js';
import { RelayListener } from '../modules/servers/relay/relay-listener.js';
import { LiveServers } from '../modules/servers/supervise/live-servers.js';
import { Supervisor } from '../modules/servers/supervise/supervisor.js';
import { ServingIndex } from '../modules/serving/sites/serving-index.js';
import { StatusBoard } from '../modules/status/board/status-board.js';
import { Lifecycle, type Service } from '../nest/lifecycle.js';
import { collectLoops } from '../nest/loops.js';
import { provide } from '../nest/provide.js';
import { collectTables } from '../nest/tables.js';
import { Checkpoints } from '../projections/projector/checkpoints.js';
import { LogIdentity } from '../projections/projector/log-identity.js';
import { Projector } from '../projections/projector/projector.js';
import { waitForReadModels } from '../projections/projector/wait-for-read-models.js';
import { allReadModels } from '../projections/read-models.js';
import { Rebuilder } from '../projections/rebuild/rebuilder.js';
import { SandboxedServerRunner } from '../sandbox/servers/sandboxed-server-runner.js';
import { EventEngine } from '../settings/settings.js';
import { joinContentFolder } from '../storage/blobs/content-folder.js';
import { PeerProgress } from '../storage/cluster/peer-progress.js';
import { PeerWakeUps } from '../storage/cluster/peer-wake-ups.js';
import { closeTable, startTable } from '../storage/tables/table.js';
import { ProcessContext } from './context.js';
import { Engines } from './engines.js';
import { announceRebuild } from './start/announce-rebuild.js';
import { say } from './start/log.js';

/** Interval between searches for tables of old read models. */
const SWEEP_MS = 600_000;

/** Storage, the event log, content and read models. Everything else relies on them. */
@Injectable()
class Foundation {
  constructor(
    private readonly context: ProcessContext,
    private readonly engines: Engines,
    private readonly writePosition: WritePosition,
    private readonly spoolFolder: SpoolFolder,
    private readonly discovery: DiscoveryService,
    private readonly logIdentity: LogIdentity,
    private readonly eventEngine: EventEngine,
    private readonly checkpoints: Checkpoints,
    private readonly projector: Projector,
    private readonly rebuilder: Rebuilder,
    private readonly servingIndex: ServingIndex,
  ) {}

  list(): readonly Service[] {
    return [...this.#log(), ...this.#storage(), ...this.#readModels(), ...this.#adapters()];
  }

  #log(): Service[] {
    const { eventStore, snapshots, redis } = this.engines;
    return [
      { name: 'event store', start: (signal) => eventStore.start(signal), stop: () => eventStore.stop() },
      { name: 'snapshots', start: () => snapshots.start() },
      ...(redis instanceof NoRedis ? [] : [{ name: 'redis', start: () => redis.start(), stop: () => redis.stop() }]),
      { name: 'write position', start: async () => this.writePosition.advanceTo(await eventStore.lastPosition()) },
    ];
  }

  #storage(): Service[] {
    const { settings, pool } = this.context;
    const { blobs } = this.engines;
    const isAlone = settings.databaseUrl === null;
    return [
      {
        name: 'content folder',
        start: async () => {
          if (!isAlone) await joinContentFolder(pool, settings.dataFolder);
        },
      },
      ...collectTables(this.discovery).map(({ table, access }) => ({
        name: table.name,
        start: (signal: AbortSignal) => startTable(table, { pool, isAlone, signal }),
        stop: () => closeTable(access),
      })),
      { name: 'spool folder', start: () => this.spoolFolder.start() },
      { name: 'content', start: () => blobs.start(), stop: () => blobs.stop() },
    ];
  }

  #readModels(): Service[] {
    const { projector, rebuilder, servingIndex } = this;
    return [
      { name: 'new read models', start: (signal) => this.#bringUpToVersion(signal) },
      {
        name: 'read models',
        roles: ['projector'],
        start: (signal) => projector.start(allReadModels, signal),
        stop: () => projector.stopped(),
      },
      {
        name: 'old read models',
        roles: ['projector'],
        start: async (signal) => void rebuilder.sweepPeriodically(SWEEP_MS, signal),
      },
      { name: 'serving index', roles: ['api', 'serve'], start: (signal) => servingIndex.start(signal) },
    ];
  }

  async #bringUpToVersion(signal: AbortSignal): Promise<void> {
    await this.projector.prepare([]);
    await this.logIdentity.check(this.eventEngine.name);
    if (!this.context.settings.roles.has('projector')) return waitForReadModels(this.checkpoints, signal, say);
    await this.rebuilder.buildMissing(allReadModels, signal, announceRebuild());
  }

  #adapters(): Service[] {
    const { countries, repositories, builder, imageBuilder } = this.engines;
    return [
      { name: 'countries', roles: ['serve'], start: async () => void (await countries.start()) },
      { name: 'repositories', start: () => repositories.start() },
      {
        name: 'builder',
        roles: ['worker'],
        start: async (signal) => void builder.start(process.env, signal),
        stop: () => builder.stopped(),
      },
      // Does nothing at the start, because the image builder tests its engine only when it is first used.
      { name: 'image builder', roles: ['worker'], start: async () => undefined, stop: () => imageBuilder.stop() },
    ];
  }
}

@Injectable()
class SiteServerServices {
  constructor(
    private readonly context: ProcessContext,
    private readonly engines: Engines,
    private readonly log: LogWriter,
    private readonly relay: RelayListener,
    private readonly supervisor: Supervisor,
    private readonly liveServers: LiveServers,
  ) {}

  list(): readonly Service[] {
    const { serverRunner } = this.engines;
    if (!(serverRunner instanceof SandboxedServerRunner)) return [];
    const { host, hasPeers } = this.context.settings.servers;
    return [
      {
        name: 'server log writer',
        start: async (signal) => this.log.start(signal),
        stop: () => this.log.stopped(),
      },
      {
        name: 'site servers',
        start: async (signal) => {
          // Without peers, start no relay, because no other process could connect to it.
          await this.supervisor.start(hasPeers ? await this.relay.listen(host) : null, signal);
        },
        stop: async () => {
          await this.relay.close();
          await this.supervisor.stopped();
          await serverRunner.close();
        },
      },
      {
        name: 'live servers',
        start: (signal) => this.liveServers.start(signal),
        stop: () => this.liveServers.stopped(),
      },
      { name: 'leftover servers', start: async (signal) => void serverRunner.sweepRegularly(signal) },
    ];
  }
}

/** Live streams, and notifications from other processes. */
@Injectable()
class LiveServices {
  constructor(
    private readonly context: ProcessContext,
    private readonly store: EventStore,
    private readonly peerProgress: PeerProgress,
    private readonly writePosition: WritePosition,
    private readonly servingStatus: ServingStatus,
    private readonly live: LiveStreamServer,
    private readonly wakeUps: PeerWakeUps,
    private readonly statusBoard: StatusBoard,
  ) {}

  list(): readonly Service[] {
    return [
      ...(this.context.settings.databaseUrl === null ? [] : this.#peers()),
      { name: 'wake-ups', roles: ['api', 'serve', 'worker'], start: (signal) => this.wakeUps.start(signal) },
      { name: 'live streams', roles: ['api'], start: () => this.live.start(), stop: () => this.live.finishRequests() },
      // Runs in every process that shows the status page. Each of them keeps its own copy of the page’s content.
      { name: 'status', roles: ['api'], start: async () => void this.statusBoard.refresh() },
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

/** The services of a process, chosen by its roles, in the order in which they start. They stop in reverse order. */
export const services = [
  Foundation,
  SiteServerServices,
  LiveServices,
  provide(
    Lifecycle,
    [ProcessContext, DiscoveryService, Foundation, SiteServerServices, LiveServices],
    ({ settings }, discovery, foundation, siteServers, live) =>
      new Lifecycle(settings.roles, () => [
        ...foundation.list(),
        ...collectLoops(discovery),
        ...siteServers.list(),
        ...live.list(),
      ]),
  ),
];
