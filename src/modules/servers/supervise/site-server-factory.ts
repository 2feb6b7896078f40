import { Injectable } from '@nestjs/common';
import { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { ServerRunner } from '../../../kernel/ports/outside/server-runner.js';
import type { ServedDeploy } from '../../../kernel/ports/served-deploy.js';
import { ServerSettings } from '../../../settings/server-settings.js';
import { BlobStore } from '../../../storage/blobs/blob-store.js';
import { ServerNeedsReader } from '../../sites/api/server-needs-reader.js';
import type { ServerStanding } from '../../sites/api/server-state.js';
import { SiteHistory } from '../../sites/api/site-history.js';
import { ServerCounts } from '../api/server-counts.js';
import { LogWriter } from '../output/log-writer.js';
import { SupervisedServer } from './supervised-server.js';

/** Minimum interval between two crashes recorded in a site's history, however often its server crashes. */
const CRASH_TOLD_EVERY_MS = 600_000;

const PROCESSES = 256;
const DISK_BYTES = 268_435_456;
const CPUS = 1;

const telling = new BackgroundTask('tell_of_servers');

/** Callbacks from a server to its supervisor. Each event is reported once. */
export type ServerWatch = {
  /**
   * Waits until this process has room for the server and holds its lease. Rejects if there is no room, or if another
   * worker has the lease.
   */
  readonly admit: (server: SupervisedServer) => Promise<void>;
  readonly hasRoom: (server: SupervisedServer) => boolean;
  /** `liveId` is the ID of the site's live deploy when the server starts, or null if there is none. */
  readonly onStart: (server: SupervisedServer, liveId: string | null) => void;
  readonly onStanding: (server: SupervisedServer, standing: ServerStanding, startMs: number | null) => Promise<void>;
};

@Injectable()
export class SiteServerFactory {
  /** Times (`performance.now()`) of the last recorded crashes, by deploy. */
  readonly #crashTold = new Map<string, number>();

  constructor(
    private readonly runner: ServerRunner,
    private readonly needs: ServerNeedsReader,
    private readonly history: SiteHistory,
    private readonly settings: ServerSettings,
    private readonly blobs: BlobStore,
    private readonly log: LogWriter,
    private readonly urls: ServiceUrls,
    private readonly counts: ServerCounts,
  ) {}

  make(deploy: ServedDeploy, watched: ServerWatch): SupervisedServer {
    const { siteId, deployId, digest, slug } = deploy;
    const server: SupervisedServer = new SupervisedServer(deploy, {
      runner: this.runner,
      limits: { memoryBytes: this.settings.memoryBytes, processes: PROCESSES, diskBytes: DISK_BYTES, cpus: CPUS },
      host: new URL(this.urls.site(slug)).host,
      content: () => this.blobs.stream(digest),
      needs: async () => {
        const needs = await this.needs.find(deploy);
        if (needs) watched.onStart(server, needs.liveId);
        return needs;
      },
      admit: () => watched.admit(server),
      hasRoom: () => watched.hasRoom(server),
      onChange: async (startMs) => {
        const { standing } = server;
        if (startMs !== null) this.counts.started(startMs);
        if (standing.state === 'crashed') this.counts.crashed();
        await watched.onStanding(server, standing, startMs);
      },
      onCrash: (reason) => this.#tellCrash(deploy, reason),
      onLine: (stream, message, isError) => {
        const level = stream === 'stderr' ? 'warn' : isError ? 'error' : 'info';
        this.log.add({ siteId, deployId, stream, message, at: new Date().toISOString(), level });
      },
    });
    return server;
  }

  async #tellCrash({ siteId, deployId }: ServedDeploy, reason: string): Promise<void> {
    const last = this.#crashTold.get(deployId) ?? Number.NEGATIVE_INFINITY;
    if (performance.now() - last < CRASH_TOLD_EVERY_MS) return;
    this.#crashTold.set(deployId, performance.now());
    await telling.run(() => this.history.recordServerCrash(siteId, deployId, reason));
  }
}
