import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { heardElsewhere, leftToLease } from '../../../kernel/faults/ignored-fault.js';
import { ServerCounts } from '../../../kernel/ports/server-counts.js';
import type { ServedProgram } from '../../../kernel/ports/site-servers.js';
import { SiteShares } from '../../../kernel/ports/site-shares.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import { shareKey } from '../../../kernel/shares/share.js';
import { ServerSettings } from '../../../settings/server-settings.js';
import { ServerLeases } from '../api/server-leases.js';
import type { ServerWorker } from '../api/server-row.js';
import { ServerPlaces } from './server-places.js';
import { SiteServerFactory } from './site-server-factory.js';
import type { LocalUse, SupervisedServer } from './supervised-server.js';
import { Upkeep } from './upkeep.js';

/** Another worker has the program: it is used there. */
export class HeldElsewhere extends Error {
  override readonly name = 'HeldElsewhere';
}

/** A use, and whether it is of what was live before while what is live now is starting. */
export type SupervisedUse = LocalUse & { readonly isStandIn: boolean };

/** What was replaced goes on for so long for visitors who use it. Milliseconds. */
const DRAIN_MS = 60_000;
/** A server whose place goes to another owner has this long for the requests in progress. */
const GIVE_UP_MS = 500;

const telling = new BackgroundTask('tell_of_servers');

/** Runs the programs of sites in this process: starts them for visitors, and puts them to sleep when none come. */
@Injectable()
export class Supervisor {
  readonly name = `srv_${randomBytes(8).toString('hex')}`;
  readonly #servers = new Map<string, SupervisedServer>();
  /** By the deploy that is starting: what was live before it. */
  readonly #standIns = new Map<string, SupervisedServer>();
  /** By site: which deploy is live, as far as this process has seen it change. */
  readonly #live = new Map<string, string>();
  /** By deploy: the end of a server that is being stopped. */
  readonly #leaving = new Map<string, Promise<void>>();
  readonly #places: ServerPlaces;
  #upkeep: Upkeep | null = null;
  #isActive = false;

  constructor(
    @Inject(SiteServerFactory) private readonly factory: SiteServerFactory,
    @Inject(ServerLeases) private readonly leases: ServerLeases,
    @Inject(ServerSettings) private readonly settings: ServerSettings,
    @Inject(ServerCounts) private readonly counts: ServerCounts,
    @Inject(SiteShares) shares: SiteShares,
  ) {
    this.#places = new ServerPlaces(settings.atOnce, async (siteId) => shareKey(await shares.shareOf(siteId)));
  }

  /** Whether this process runs programs. */
  get isActive(): boolean {
    return this.#isActive;
  }

  /** `place` is where other processes reach what runs here. */
  async start(place: ServerWorker['place'], signal: AbortSignal): Promise<void> {
    this.#isActive = true;
    const tended = {
      list: () => this.list(),
      has: (deployId: string) => this.#servers.has(deployId),
      isFull: () => this.#places.areTaken,
      sleep: (server: SupervisedServer, why: string) => this.#sleep(server, why),
      forget: (server: SupervisedServer) => this.#end(server),
      lose: (server: SupervisedServer) => this.#lose(server),
      start: (program: ServedProgram) => this.#tryStart(this.#serverOf(program)),
    };
    this.#upkeep = new Upkeep({ worker: this.name, place }, tended, this.leases, this.settings);
    await this.#upkeep.start(signal);
  }

  /** After the signal: ends all of it. What runs is left to the next worker. */
  async stopped(): Promise<void> {
    this.#isActive = false;
    await this.#upkeep?.stopped();
    await Promise.all([...this.#servers.values()].map((server) => server.stop()));
    await this.leases.leave(this.name).catch(leftToLease);
  }

  /** At once, where the program runs here. */
  useNow(deployId: string): LocalUse | null {
    return this.#servers.get(deployId)?.useNow() ?? null;
  }

  /**
   * Uses a program, which is started where it does not run; meanwhile what was live before it, where that runs still.
   * Rejects with `HeldElsewhere`; refuses as `SiteServers` does.
   */
  async use(program: ServedProgram): Promise<SupervisedUse> {
    const now = this.useNow(program.deployId);
    if (now) return { ...now, isStandIn: false };
    const server = this.#serverOf(program);
    const starting = server.start();
    const before = this.#standIns.get(program.deployId)?.useNow();
    if (before) {
      starting.catch(heardElsewhere);
      return { ...before, isStandIn: true };
    }
    await starting;
    const use = server.useNow() ?? refuse('server_starting', 'The server was stopped right after it started.');
    return { ...use, isStandIn: false };
  }

  /**
   * Another deploy of the site is live from now on. Where the one before runs here it goes on until the new one answers,
   * and until no visitor uses it. `program` is null for a deploy that is files.
   */
  async replace(siteId: string, replacedId: string | null, program: ServedProgram | null): Promise<void> {
    const others = [...this.#servers.values()].filter(
      (server) => server.program.siteId === siteId && server.program.deployId !== program?.deployId,
    );
    if (program !== null) this.#live.set(siteId, program.deployId);
    else this.#live.delete(siteId);
    const before = others.find((server) => server.program.deployId === replacedId && server.isUp);
    if (program !== null && (before || (await this.#isNobodys(replacedId)))) {
      const server = this.#serverOf(program);
      if (before) this.#standIns.set(program.deployId, before);
      try {
        await this.#tryStart(server);
      } finally {
        this.#standIns.delete(program.deployId);
      }
    }
    for (const server of others) void telling.run(() => this.#retire(server, DRAIN_MS));
  }

  /** Ends all programs of a site that is gone, at once. */
  async end(siteId: string): Promise<void> {
    this.#live.delete(siteId);
    const servers = [...this.#servers.values()].filter(({ program }) => program.siteId === siteId);
    await Promise.all(servers.map((server) => this.#retire(server, 0)));
  }

  /** What runs here, for others to see. */
  list(): readonly SupervisedServer[] {
    return [...this.#servers.values()];
  }

  #serverOf(program: ServedProgram): SupervisedServer {
    const { deployId } = program;
    const known = this.#servers.get(deployId);
    if (known) return known;
    const server = this.factory.make(program, {
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

  /** Of what a site does not show, one runs: what was looked at before ends when no visitor uses it any more. */
  #retirePreviews({ program: { siteId, deployId } }: SupervisedServer, liveId: string | null): void {
    if (deployId === liveId) return;
    const standIns = [...this.#standIns.values()];
    for (const server of this.list()) {
      const { program } = server;
      if (program.siteId !== siteId || [deployId, liveId].includes(program.deployId) || standIns.includes(server))
        continue;
      void telling.run(() => this.#retire(server, DRAIN_MS));
    }
  }

  /** Gets a place, stopping the server that has it if none is free, and then the lease. */
  async #admit(server: SupervisedServer): Promise<void> {
    const { deployId } = server.program;
    // Two servers of the same deploy would share one lease. Read now, because this server can be stopped meanwhile.
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
      if (await this.leases.take(this.name, server.program)) return;
      throw new HeldElsewhere('Another worker runs this server.');
    } catch (error) {
      if (this.#servers.get(deployId) === server) this.#servers.delete(deployId);
      throw error;
    }
  }

  /** Another worker may have it, and it may crash. */
  async #tryStart(server: SupervisedServer): Promise<void> {
    await server.start().catch((error: unknown) => {
      if (!(error instanceof Refusal) && !(error instanceof HeldElsewhere)) throw error;
    });
  }

  async #sleep(server: SupervisedServer, why: string): Promise<void> {
    server.say(why);
    this.counts.slept();
    await this.#end(server);
  }

  /** Ends it once no visitor uses it, or the time is over. It sleeps then, should it be live again. */
  async #retire(server: SupervisedServer, withinMs: number): Promise<void> {
    await server.unused(withinMs);
    // It may be live again meanwhile, by a rollback.
    const { siteId, deployId } = server.program;
    if (this.#servers.get(deployId) !== server || (withinMs > 0 && this.#live.get(siteId) === deployId)) return;
    if (server.isUp) server.say('Stopped because another deploy is now live.');
    await this.#end(server);
  }

  /** Stops it and gives up its lease. */
  async #end(server: SupervisedServer): Promise<void> {
    const { deployId } = server.program;
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

  /** Whether no worker runs that deploy: then the first worker that comes may run what replaces it. */
  async #isNobodys(deployId: string | null): Promise<boolean> {
    if (deployId === null) return true;
    const row = await this.leases.find(deployId);
    return row === null || row.worker === null;
  }

  /** Another worker has taken it, when this one had not said for too long that it is there. */
  async #lose(server: SupervisedServer): Promise<void> {
    this.#servers.delete(server.program.deployId);
    await server.stop();
  }
}
