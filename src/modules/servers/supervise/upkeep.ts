import { setTimeout as delay } from 'node:timers/promises';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { waitEnded } from '../../../kernel/faults/ignored-fault.js';
import { plural } from '../../../kernel/output/quantities.js';
import type { ServedDeploy } from '../../../kernel/ports/served-deploy.js';
import type { ServerSettings } from '../../../settings/server-settings.js';
import { LEASE_MS, type ServerLeases } from '../api/server-leases.js';
import type { ServerWorker } from '../api/server-row.js';
import type { SupervisedServer } from './supervised-server.js';

const LOOK_EVERY_MS = 1_000;
const RENEW_EVERY_MS = LEASE_MS / 4;
/** Interval between searches for servers whose worker is gone. */
const ADOPT_EVERY_MS = 4_000;
/** If this worker is full, other workers have this long to take over a server. */
const NO_ROOM_MS = 20_000;

const looking = new BackgroundTask('look_after_servers');
const adopting = new BackgroundTask('adopt_servers');

export type Tended = {
  readonly list: () => readonly SupervisedServer[];
  readonly has: (deployId: string) => boolean;
  readonly isFull: () => boolean;
  readonly sleep: (server: SupervisedServer, why: string) => Promise<void>;
  /** Drops a crashed server that no visitor has requested, and records its state. */
  readonly forget: (server: SupervisedServer) => Promise<void>;
  /** Stops a server because another worker has taken it. */
  readonly lose: (server: SupervisedServer) => Promise<void>;
  /** Starts a server. Does not reject if another worker was faster or the server fails. */
  readonly start: (deploy: ServedDeploy) => Promise<void>;
};

/** Puts idle servers to sleep, renews leases, and starts servers whose worker is gone. */
export class Upkeep {
  #going: Promise<unknown> = Promise.resolve();
  /** Times (`performance.now()`) since which no worker has had room for a server, by deploy. */
  readonly #noRoomSince = new Map<string, number>();

  constructor(
    private readonly worker: ServerWorker,
    private readonly tended: Tended,
    private readonly leases: ServerLeases,
    private readonly settings: Pick<ServerSettings, 'idleMs' | 'atOnce'>,
  ) {}

  /** Begins the upkeep. Resolves when other processes can find this worker. */
  async start(signal: AbortSignal): Promise<void> {
    await looking.run(() => this.#renew());
    this.#going = Promise.all([this.#look(signal), this.#adopt(signal)]);
  }

  /** Resolves when the upkeep has ended. Must be called after the signal has aborted. */
  async stopped(): Promise<void> {
    await this.#going;
  }

  async #look(signal: AbortSignal): Promise<void> {
    let renewedAt = performance.now();
    while (!signal.aborted) {
      await delay(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(waitEnded);
      if (signal.aborted) return;
      await looking.run(async () => {
        await this.#sleepIdle();
        if (performance.now() - renewedAt < RENEW_EVERY_MS) return;
        renewedAt = performance.now();
        await this.#renew();
      });
    }
  }

  async #sleepIdle(): Promise<void> {
    const { idleMs } = this.settings;
    const before = performance.now() - idleMs;
    for (const server of this.tended.list()) {
      const { state } = server.standing;
      if (server.uses > 0 || server.usedAt > before || state === 'starting') continue;
      if (state === 'running')
        await this.tended.sleep(server, `Put to sleep after ${plural(idleMs / 1_000, 'second')} without a request.`);
      else await this.tended.forget(server);
    }
  }

  async #renew(): Promise<void> {
    const servers = this.tended.list();
    const reports = await Promise.all(
      servers.map(async (server) => ({
        deployId: server.deploy.deployId,
        uses: server.uses,
        memoryBytes: await server.memoryBytes(),
      })),
    );
    const { held, toStop } = await this.leases.renew(this.worker, reports, this.settings.atOnce);
    for (const server of servers) {
      const { deployId } = server.deploy;
      if (toStop.includes(deployId)) await this.tended.sleep(server, 'Put to sleep by the operator.');
      // Keep a server that is still starting: its lease may be newer than the list of renewed leases.
      else if (!held.has(deployId) && server.standing.state === 'running') await this.tended.lose(server);
    }
  }

  /** Starts servers whose worker is gone, or that were running before the service was restarted. */
  async #adopt(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await adopting.run(async () => {
        const orphans = await this.leases.orphans();
        for (const deployId of this.#noRoomSince.keys())
          if (!orphans.some((row) => row.deployId === deployId)) this.#noRoomSince.delete(deployId);
        for (const { siteId, slug, deployId, digest, kind } of orphans) {
          if (this.tended.has(deployId)) continue;
          if (this.tended.isFull()) await this.#leave(deployId);
          else await this.tended.start({ siteId, slug, deployId, digest, kind });
        }
      });
      await delay(ADOPT_EVERY_MS, undefined, { signal, ref: false }).catch(waitEnded);
    }
  }

  /**
   * Lets a server sleep if no worker has had room for it for NO_ROOM_MS. When the site is next visited, the server is
   * started, which may stop another one.
   */
  async #leave(deployId: string): Promise<void> {
    const since = this.#noRoomSince.get(deployId) ?? performance.now();
    this.#noRoomSince.set(deployId, since);
    if (performance.now() - since >= NO_ROOM_MS) await this.leases.letSleep(deployId);
  }
}
