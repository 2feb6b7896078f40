import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { heardElsewhere, leftToLease } from '../../../kernel/faults/ignored-fault.js';
import type { ServedDeploy } from '../../../kernel/ports/served-deploy.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import { shareKey } from '../../../kernel/shares/share.js';
import { ServerSettings } from '../../../settings/server-settings.js';
import { SiteShares } from '../../sites/api/site-shares.js';
import { ServerCounts } from '../api/server-counts.js';
import { ServerLeases } from '../api/server-leases.js';
import type { ServerWorker } from '../api/server-row.js';
import { ServerPlaces } from './server-places.js';
import { SiteServerFactory } from './site-server-factory.js';
import type { LocalUse, SupervisedServer } from './supervised-server.js';
import { Upkeep } from './upkeep.js';

export class OtherWorkerError extends Error {
  override readonly name = 'OtherWorkerError';
}

/**
 * Access to a running server. `isStandIn` is true if the server of the previous live deploy is used while the current
 * server is still starting.
 */
export type SupervisedUse = LocalUse & { readonly isStandIn: boolean };

/** Maximum time that a replaced server keeps running for visitors who still use it. */
const DRAIN_MS = 60_000;
/** Time for requests in progress to complete when a server must stop so that another owner's server can start. */
const GIVE_UP_MS = 500;

const telling = new BackgroundTask('tell_of_servers');

@Injectable()
export class Supervisor {
  readonly name = `srv_${randomBytes(8).toString('hex')}`;
  readonly #servers = new Map<string, SupervisedServer>();
  /** Servers of previous live deploys that are used while the current server starts, by the deploy that is starting. */
  readonly #standIns = new Map<string, SupervisedServer>();
  /**
   * Live deploys with servers, by site. Contains only sites whose live deploy changed while this process was running.
   */
  readonly #live = new Map<string, string>();
  /** Servers that are being stopped, by deploy. Each promise resolves when the server has ended. */
  readonly #leaving = new Map<string, Promise<void>>();
  readonly #places: ServerPlaces;
  #upkeep: Upkeep | null = null;
  #isActive = false;

  constructor(
    private readonly factory: SiteServerFactory,
    private readonly leases: ServerLeases,
    private readonly settings: ServerSettings,
    private readonly counts: ServerCounts,
    shares: SiteShares,
  ) {
    this.#places = new ServerPlaces(settings.atOnce, async (siteId) => shareKey(await shares.shareOf(siteId)));
  }

  get isActive(): boolean {
    return this.#isActive;
  }

  /** `place` is the address at which other processes reach the servers of this process. */
  async start(place: ServerWorker['place'], signal: AbortSignal): Promise<void> {
    this.#isActive = true;
    const tended = {
      list: () => this.list(),
      has: (deployId: string) => this.#servers.has(deployId),
      isFull: () => this.#places.areTaken,
      sleep: (server: SupervisedServer, why: string) => this.#sleep(server, why),
      forget: (server: SupervisedServer) => this.#end(server),
      lose: (server: SupervisedServer) => this.#lose(server),
      start: (deploy: ServedDeploy) => this.#tryStart(this.#serverOf(deploy)),
    };
    this.#upkeep = new Upkeep({ worker: this.name, place }, tended, this.leases, this.settings);
    await this.#upkeep.start(signal);
  }

  /** Stops all servers and leaves the running ones to the next worker. Must be called after the signal has aborted. */
  async stopped(): Promise<void> {
    this.#isActive = false;
    await this.#upkeep?.stopped();
    await Promise.all([...this.#servers.values()].map((server) => server.stop()));
    await this.leases.leave(this.name).catch(leftToLease);
  }

  /** Registers a visitor and returns access to the server if it is running in this process; otherwise returns null. */
  useNow(deployId: string): LocalUse | null {
    return this.#servers.get(deployId)?.useNow() ?? null;
  }

  /**
   * Returns access to the server and starts it if necessary. Until it has started, returns access to the server of the
   * previous live deploy if that is still running. Rejects with `OtherWorkerError` if another worker runs the server.
   * Refuses for the same reasons as `KnownServers.use`.
   */
  async use(deploy: ServedDeploy): Promise<SupervisedUse> {
    const now = this.useNow(deploy.deployId);
    if (now) return { ...now, isStandIn: false };
    const server = this.#serverOf(deploy);
    const starting = server.start();
    const before = this.#standIns.get(deploy.deployId)?.useNow();
    if (before) {
      starting.catch(heardElsewhere);
      return { ...before, isStandIn: true };
    }
    await starting;
    const use = server.useNow() ?? refuse('server_starting', 'The server was stopped right after it started.');
    return { ...use, isStandIn: false };
  }

  /**
   * Handles a change of the live deploy. The previous server keeps running until the new one responds and no visitor
   * uses the previous one. `deploy` is null for a deploy of files.
   */
  async replace(siteId: string, replacedId: string | null, deploy: ServedDeploy | null): Promise<void> {
    const others = [...this.#servers.values()].filter(
      (server) => server.deploy.siteId === siteId && server.deploy.deployId !== deploy?.deployId,
    );
    if (deploy !== null) this.#live.set(siteId, deploy.deployId);
    else this.#live.delete(siteId);
    const before = others.find((server) => server.deploy.deployId === replacedId && server.isUp);
    if (deploy !== null && (before || (await this.#isNobodys(replacedId)))) {
      const server = this.#serverOf(deploy);
      if (before) this.#standIns.set(deploy.deployId, before);
      try {
        await this.#tryStart(server);
      } finally {
        this.#standIns.delete(deploy.deployId);
      }
    }
    for (const server of others) void telling.run(() => this.#retire(server, DRAIN_MS));
  }

  /** Stops all servers of a deleted site immediately. */
  async end(siteId: string): Promise<void> {
    this.#live.delete(siteId);
    const servers = [...this.#servers.values()].filter(({ deploy }) => deploy.siteId === siteId);
    await Promise.all(servers.map((server) => this.#retire(server, 0)));
  }

  list(): readonly SupervisedServer[] {
    return [...this.#servers.values()];
  }

  #serverOf(deploy: ServedDeploy): SupervisedServer {
    const { deployId } = deploy;
    const known = this.#servers.get(deployId);
    if (known) return known;
    const server = this.factory.make(deploy, {
      admit: (each) => this.#admit(each),
      hasRoom: (each) => this.#places.hasRoomFor(each),
      onStart: (each, liveId) => this.#retirePreviews(each, liveId),
      onStanding: async (_, standing, startMs) => {
        await telling.run(() => this.leases.say(this.name, deployId, standing, startMs));
      },
    });
    this.#servers.set(deployId, server);
    return server;
  }

  /** Stops earlier previews of a site once no visitor is using them, so that only one preview runs. */
  #retirePreviews({ deploy: { siteId, deployId } }: SupervisedServer, liveId: string | null): void {
    if (deployId === liveId) return;
    const standIns = [...this.#standIns.values()];
    for (const server of this.list()) {
      const { deploy } = server;
      if (deploy.siteId !== siteId || [deployId, liveId].includes(deploy.deployId) || standIns.includes(server))
        continue;
      void telling.run(() => this.#retire(server, DRAIN_MS));
    }
  }

  /**
   * Waits until this process has room for the server, and gets the server's lease. If there is no room, stops another
   * server.
   */
  async #admit(server: SupervisedServer): Promise<void> {
    const { deployId } = server.deploy;
    // Look up now whether an earlier server of this deploy is still stopping. After the steps below, the entry could
    // belong to the new server. The earlier server must stop first, because servers of the same deploy share one lease.
    const before = this.#leaving.get(deployId);
    try {
      if (!this.#isActive) refuse('server_starting', 'The worker that runs this server is shutting down.');
      const taken = await this.#places.take(server);
      if (taken?.isInUse) {
        await taken.from.unused(GIVE_UP_MS);
        await this.#sleep(
          taken.from,
          'Stopped to make room for another owner’s server, because this site’s owner runs the most servers.',
        );
      } else if (taken) await this.#sleep(taken.from, 'Put to sleep to make room for another server.');
      await before;
      if (await this.leases.take(this.name, server.deploy)) return;
      throw new OtherWorkerError('Another worker runs this server.');
    } catch (error) {
      if (this.#servers.get(deployId) === server) this.#servers.delete(deployId);
      throw error;
    }
  }

  /** Starts a server. Ignores the error if another worker has the server or the server crashes. */
  async #tryStart(server: SupervisedServer): Promise<void> {
    await server.start().catch((error: unknown) => {
      if (!(error instanceof Refusal) && !(error instanceof OtherWorkerError)) throw error;
    });
  }

  async #sleep(server: SupervisedServer, why: string): Promise<void> {
    server.say(why);
    this.counts.slept();
    await this.#end(server);
  }

  /** Stops the server once no visitor is using it, or after `withinMs`. */
  async #retire(server: SupervisedServer, withinMs: number): Promise<void> {
    await server.unused(withinMs);
    // After a rollback, the deploy of the server that is to be stopped may be live again.
    const { siteId, deployId } = server.deploy;
    if (this.#servers.get(deployId) !== server || (withinMs > 0 && this.#live.get(siteId) === deployId)) return;
    if (server.isUp) server.say('Stopped because another deploy is now live.');
    await this.#end(server);
  }

  async #end(server: SupervisedServer): Promise<void> {
    const { deployId } = server.deploy;
    if (this.#servers.get(deployId) !== server) return this.#leaving.get(deployId);
    this.#servers.delete(deployId);
    const { standing } = server;
    const leaving = telling.run(async () => {
      await server.stop();
      const last = standing.state === 'crashed' ? standing : server.standing;
      await this.leases.release(this.name, deployId, last);
    });
    const left = leaving.then(() => {
      if (this.#leaving.get(deployId) === left) this.#leaving.delete(deployId);
    });
    this.#leaving.set(deployId, left);
    await left;
  }

  /**
   * Reports whether no worker runs the server of this deploy. If so, the worker that first sees the change of the live
   * deploy can start the new server.
   */
  async #isNobodys(deployId: string | null): Promise<boolean> {
    if (deployId === null) return true;
    const row = await this.leases.find(deployId);
    return row === null || row.worker === null;
  }

  /** Stops a server that another worker has taken because this worker did not renew its lease in time. */
  async #lose(server: SupervisedServer): Promise<void> {
    this.#servers.delete(server.deploy.deployId);
    await server.stop();
  }
}
