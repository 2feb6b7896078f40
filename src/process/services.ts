import { Inject, Injectable } from '@nestjs/common';
import { joinContentFolder } from '../blobs/content-folder.js';
import { SitePrograms } from '../builders/programs/site-programs.js';
import { PeerProgress } from '../cluster/peer-progress.js';
import { PeerWakeUps } from '../cluster/peer-wake-ups.js';
import { RedisConnection } from '../cluster/redis-connection.js';
import { EventStore } from '../kernel/event-store.js';
import { ServingStatus } from '../kernel/ports/serving-status.js';
import { WritePosition } from '../kernel/positions/write-position.js';
import { LiveStreams } from '../live/live-streams.js';
import { Measures } from '../modules/about/metrics/measures.js';
import { Certificates } from '../modules/certificates/obtain/certificates.js';
import { ForgottenWork } from '../modules/connector/forget/forgotten-work.js';
import { Sweeping } from '../modules/connector/sweep/sweeping.js';
import { Checking } from '../modules/domains/check/checking.js';
import { UntoldDomains } from '../modules/domains/trail/untold-domains.js';
import { Erasure } from '../modules/identity/erase/erasure.js';
import { ForgottenJobs } from '../modules/jobs/forget/forgotten-jobs.js';
import { Workers } from '../modules/jobs/worker/workers.js';
import { ForgottenRuns } from '../modules/runs/forget/forgotten-runs.js';
import { LogWriter } from '../modules/servers/output/log-writer.js';
import { RelayListener } from '../modules/servers/relay/relay-listener.js';
import { LivePrograms } from '../modules/servers/supervise/live-programs.js';
import { Supervisor } from '../modules/servers/supervise/supervisor.js';
import { ServingIndex } from '../modules/serving/sites/serving-index.js';
import { Collection } from '../modules/sites/collect/collection.js';
import { Reserving } from '../modules/sites/delete/reserving.js';
import { Expiring } from '../modules/sites/expire/expiring.js';
import { ForgottenProbes } from '../modules/sites/probe/forgotten-probes.js';
import { SecretsSweeping } from '../modules/sites/secrets/sweeping.js';
import { StatusBoard } from '../modules/status/board/status-board.js';
import { Prober } from '../modules/status/probes/prober.js';
import { ActivityReactor } from '../modules/traffic/activity/activity-reactor.js';
import { ErasedTraffic } from '../modules/traffic/erase/erased-traffic.js';
import { Recorder } from '../modules/traffic/record/recorder.js';
import { Retention } from '../modules/traffic/retain/retention.js';
import { RollingUp } from '../modules/traffic/roll-up/rolling-up.js';
import { Checkpoints } from '../projections/projector/checkpoints.js';
import { LogIdentity } from '../projections/projector/log-identity.js';
import { Projector } from '../projections/projector/projector.js';
import { waitForReadModels } from '../projections/projector/wait-for-read-models.js';
import { readModels } from '../projections/read-models.js';
import { Rebuilder } from '../projections/rebuild/rebuilder.js';
import { EventEngine } from '../settings.js';
import { WorkQueue } from '../tables/connector/work-queue.js';
import { startTable } from '../tables/table.js';
import { tables } from '../tables/tables.js';
import { AccessEntries } from '../tables/traffic/access-entries.js';
import { SpoolFolder } from '../uploads/spool/spool-folder.js';
import { ProcessContext } from './context.js';
import { Engines } from './engines.js';
import { Lifecycle, type Service } from './nest/lifecycle.js';
import { provide } from './nest/provide.js';
import { announceRebuild } from './start/announce-rebuild.js';
import { say } from './start/log.js';

/** How often tables of old read models are looked for, in milliseconds. */
const SWEEP_MS = 600_000;

/** The log, which everything else reads. */
@Injectable()
class LogServices {
  constructor(
    @Inject(Engines) private readonly engines: Engines,
    @Inject(WritePosition) private readonly writePosition: WritePosition,
  ) {}

  list(): Service[] {
    const { eventStore, snapshots, redis } = this.engines;
    return [
      { name: 'event store', start: (signal) => eventStore.start(signal), stop: () => eventStore.stop() },
      { name: 'snapshots', start: () => snapshots.start() },
      ...(redis instanceof RedisConnection
        ? [{ name: 'redis', start: () => redis.start(), stop: () => redis.stop() }]
        : []),
      { name: 'write position', start: async () => this.writePosition.advanceTo(await eventStore.lastPosition()) },
    ];
  }
}

/** What is kept beside the log: tables, and the content of sites. */
@Injectable()
class StorageServices {
  constructor(
    @Inject(ProcessContext) private readonly context: ProcessContext,
    @Inject(Engines) private readonly engines: Engines,
    @Inject(SpoolFolder) private readonly spoolFolder: SpoolFolder,
    @Inject(WorkQueue) private readonly workQueue: WorkQueue,
  ) {}

  list(): Service[] {
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
      ...tables.map((table) => ({
        name: table.name,
        start: (signal: AbortSignal) => startTable(table, { pool, isAlone, signal }),
      })),
      { name: 'steps of work', start: async () => undefined, stop: () => this.workQueue.close() },
      { name: 'spool folder', start: () => this.spoolFolder.start() },
      { name: 'content', start: () => blobs.start(), stop: () => blobs.stop() },
    ];
  }
}

/** What is read of the log: read models, and the index that sites are served by. */
@Injectable()
class ReadServices {
  constructor(
    @Inject(ProcessContext) private readonly context: ProcessContext,
    @Inject(LogIdentity) private readonly logIdentity: LogIdentity,
    @Inject(EventEngine) private readonly engine: EventEngine,
    @Inject(Checkpoints) private readonly checkpoints: Checkpoints,
    @Inject(Projector) private readonly projector: Projector,
    @Inject(Rebuilder) private readonly rebuilder: Rebuilder,
    @Inject(ServingIndex) private readonly serving: ServingIndex,
  ) {}

  list(): Service[] {
    const { projector, rebuilder, serving } = this;
    return [
      { name: 'read models of a new version', start: (signal) => this.#bringUpToVersion(signal) },
      {
        name: 'read models',
        roles: ['projector'],
        start: (signal) => projector.start(readModels, signal),
        stop: () => projector.stopped(),
      },
      {
        name: 'old read models',
        roles: ['projector'],
        start: async (signal) => void rebuilder.sweepPeriodically(SWEEP_MS, signal),
      },
      { name: 'serving index', roles: ['api', 'serve'], start: (signal) => serving.start(signal) },
    ];
  }

  async #bringUpToVersion(signal: AbortSignal): Promise<void> {
    await this.projector.prepare([]);
    await this.logIdentity.check(this.engine.name);
    if (!this.context.settings.roles.has('projector')) return waitForReadModels(this.checkpoints, signal, say);
    await this.rebuilder.buildMissing(readModels, signal, announceRebuild());
  }
}

/** Work without a request: what follows from time, and jobs. */
@Injectable()
class WorkServices {
  constructor(
    @Inject(Engines) private readonly engines: Engines,
    @Inject(Erasure) private readonly erasure: Erasure,
    @Inject(Collection) private readonly collection: Collection,
    @Inject(SecretsSweeping) private readonly sweeping: SecretsSweeping,
    @Inject(Measures) private readonly measures: Measures,
    @Inject(Expiring) private readonly expiring: Expiring,
    @Inject(Reserving) private readonly reserving: Reserving,
    @Inject(Checking) private readonly checking: Checking,
    @Inject(Certificates) private readonly certificates: Certificates,
    @Inject(UntoldDomains) private readonly untoldDomains: UntoldDomains,
    @Inject(Workers) private readonly workers: Workers,
    @Inject(ForgottenJobs) private readonly forgottenJobs: ForgottenJobs,
    @Inject(ForgottenRuns) private readonly forgottenRuns: ForgottenRuns,
    @Inject(Sweeping) private readonly connector: Sweeping,
    @Inject(ForgottenWork) private readonly forgottenWork: ForgottenWork,
    @Inject(AccessEntries) private readonly accessEntries: AccessEntries,
    @Inject(Recorder) private readonly recorder: Recorder,
    @Inject(Retention) private readonly retention: Retention,
    @Inject(ActivityReactor) private readonly activity: ActivityReactor,
    @Inject(ForgottenProbes) private readonly forgottenProbes: ForgottenProbes,
    @Inject(RollingUp) private readonly rollingUp: RollingUp,
    @Inject(ErasedTraffic) private readonly erasedTraffic: ErasedTraffic,
  ) {}

  list(): Service[] {
    return [
      { name: 'account erasures', start: (signal) => this.erasure.start(signal) },
      { name: 'collection', roles: ['worker'], start: async (signal) => this.collection.start(signal) },
      {
        name: 'unused secrets',
        roles: ['worker'],
        start: async (signal) => this.sweeping.start(signal),
        stop: () => this.sweeping.stopped(),
      },
      {
        name: 'countries',
        roles: ['serve'],
        start: async () => void (await this.engines.countries.start()),
      },
      {
        name: 'connection of the access log',
        start: async () => undefined,
        stop: () => this.accessEntries.close(),
      },
      {
        name: 'access log',
        roles: ['serve'],
        start: async (signal) => this.recorder.start(signal),
        stop: () => this.recorder.stopped(),
      },
      { name: 'old entries of logs', roles: ['worker'], start: async (signal) => this.retention.start(signal) },
      { name: 'measures', start: (signal) => this.measures.start(signal) },
      { name: 'expiry', roles: ['worker'], start: async (signal) => this.expiring.start(signal) },
      { name: 'slugs of deleted sites', roles: ['worker'], start: async (signal) => this.reserving.start(signal) },
      {
        name: 'checks of domains',
        roles: ['worker'],
        start: async (signal) => this.checking.start(signal),
        stop: () => this.checking.stopped(),
      },
      {
        name: 'certificates of domains',
        roles: ['worker'],
        start: async (signal) => this.certificates.start(signal),
        stop: () => this.certificates.stopped(),
      },
      { name: 'histories of domains', roles: ['worker'], start: async (signal) => this.untoldDomains.start(signal) },
      { name: 'repositories', start: () => this.engines.repositories.start() },
      { name: 'builder', roles: ['worker'], start: async () => void this.engines.builder.start(process.env) },
      {
        name: 'jobs',
        roles: ['worker'],
        start: async (signal) => this.workers.start(signal),
        stop: () => this.workers.stopped(),
      },
      { name: 'old jobs', roles: ['worker'], start: async (signal) => this.forgottenJobs.start(signal) },
      { name: 'old runs', roles: ['worker'], start: async (signal) => this.forgottenRuns.start(signal) },
      { name: 'work of connectors', roles: ['worker'], start: async (signal) => this.connector.start(signal) },
      {
        name: 'activity of sites, told',
        roles: ['worker'],
        start: async (signal) => this.activity.start(signal),
        stop: () => this.activity.stopped(),
      },
      {
        name: 'traffic by hour and day',
        roles: ['worker'],
        start: async (signal) => this.rollingUp.start(signal),
        stop: () => this.rollingUp.stopped(),
      },
      {
        name: 'traffic of deleted sites',
        roles: ['worker'],
        start: async (signal) => this.erasedTraffic.start(signal),
        stop: () => this.erasedTraffic.stopped(),
      },
      { name: 'old work', roles: ['worker'], start: async (signal) => this.forgottenWork.start(signal) },
      { name: 'old probes', roles: ['worker'], start: async (signal) => this.forgottenProbes.start(signal) },
    ];
  }
}

/** The programs of sites. */
@Injectable()
class ProgramServices {
  constructor(
    @Inject(ProcessContext) private readonly context: ProcessContext,
    @Inject(Engines) private readonly engines: Engines,
    @Inject(LogWriter) private readonly log: LogWriter,
    @Inject(RelayListener) private readonly relay: RelayListener,
    @Inject(Supervisor) private readonly supervisor: Supervisor,
    @Inject(LivePrograms) private readonly livePrograms: LivePrograms,
  ) {}

  list(): Service[] {
    const { programs } = this.engines;
    if (!(programs instanceof SitePrograms)) return [];
    const { host, hasPeers } = this.context.settings.servers;
    return [
      {
        name: 'logs of programs',
        start: async (signal) => this.log.start(signal),
        stop: () => this.log.stopped(),
      },
      {
        name: 'programs',
        start: async (signal) => {
          // Alone it has nobody to reach it.
          await this.supervisor.start(hasPeers ? await this.relay.listen(host) : null, signal);
        },
        stop: async () => {
          await this.relay.close();
          await this.supervisor.stopped();
          await programs.close();
        },
      },
      {
        name: 'programs that are live',
        start: (signal) => this.livePrograms.start(signal),
        stop: () => this.livePrograms.stopped(),
      },
      { name: 'programs of the dead', start: async (signal) => void programs.sweepRegularly(signal) },
    ];
  }
}

/** What follows the log for others: the other processes on this database, and clients that watch. */
@Injectable()
class LiveServices {
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
      { name: 'peers', start: (signal) => peerProgress.start(signal) },
      {
        name: 'progress for peers',
        roles: ['api', 'serve'],
        start: (signal) => peerProgress.follow(store, catchUp, signal),
      },
    ];
  }
}

/** In the order in which they start; they stop in the opposite one. */
const GROUPS = [LogServices, StorageServices, ReadServices, WorkServices, ProgramServices, LiveServices] as const;

/** What runs as long as the process does, by its roles. */
export const services = [
  ...GROUPS,
  provide(
    Lifecycle,
    [ProcessContext, ...GROUPS],
    ({ settings }, ...groups) =>
      new Lifecycle(
        settings.roles,
        groups.flatMap((group) => group.list()),
      ),
  ),
];
