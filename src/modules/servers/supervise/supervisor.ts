import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { BlobStore } from '../../../blobs/blob-store.js';
import { ServiceUrls } from '../../../http/api/service-urls.js';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { heardElsewhere, leftToLease, waitEnded } from '../../../kernel/faults/ignored-fault.js';
import { Programs } from '../../../kernel/ports/outside/programs.js';
import { ServerCounts } from '../../../kernel/ports/server-counts.js';
import { ServerSites } from '../../../kernel/ports/server-sites.js';
import type { ServedProgram } from '../../../kernel/ports/site-servers.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import { ServerSettings } from '../../../settings.servers.js';
import {
  LEASE_MS,
  ServerLeases,
  type ServerStanding,
  type ServerWorker,
} from '../../../tables/servers/server-leases.js';
import { LogWriter } from '../output/log-writer.js';
import { type LocalUse, SiteServer } from './site-server.js';

/** Another worker has the program: it is used there. */
export class HeldElsewhere extends Error {
  override readonly name = 'HeldElsewhere';
}

/** A use, and whether it is of what was live before while what is live now is starting. */
export type SupervisedUse = LocalUse & { readonly isStandIn: boolean };

const LOOK_EVERY_MS = 1_000;
const RENEW_EVERY_MS = LEASE_MS / 4;
/** Programs of a worker that is gone are looked for so often. */
const ADOPT_EVERY_MS = 4_000;
/** What was replaced goes on for so long for whoever uses it. */
const DRAIN_MS = 60_000;
/** At least so much is between two crashes in the history of a site, whatever its program does. */
const CRASH_TOLD_EVERY_MS = 600_000;

const PROCESSES = 256;
const DISK_BYTES = 268_435_456;
const CPUS = 1;

const looking = new BackgroundTask('look_after_servers');
const adopting = new BackgroundTask('adopt_servers');
const telling = new BackgroundTask('tell_of_servers');

/** Runs the programs of sites in this process: starts them for whoever comes, and puts them to sleep when nobody does. */
@Injectable()
export class Supervisor {
  readonly name = `srv_${randomBytes(8).toString('hex')}`;
  readonly #servers = new Map<string, SiteServer>();
  /** By the deploy that is starting: what was live before it. */
  readonly #standIns = new Map<string, SiteServer>();
  /** By site: which deploy is live, as far as this process has seen it change. */
  readonly #live = new Map<string, string>();
  readonly #crashTold = new Map<string, number>();
  #going: Promise<unknown> = Promise.resolve();
  #isActive = false;
  #place: ServerWorker['place'] = null;

  constructor(
    @Inject(Programs) private readonly programs: Programs,
    @Inject(ServerLeases) private readonly leases: ServerLeases,
    @Inject(ServerSites) private readonly sites: ServerSites,
    @Inject(ServerSettings) private readonly settings: ServerSettings,
    @Inject(BlobStore) private readonly blobs: BlobStore,
    @Inject(LogWriter) private readonly log: LogWriter,
    @Inject(ServiceUrls) private readonly urls: ServiceUrls,
    @Inject(ServerCounts) private readonly counts: ServerCounts,
  ) {}

  /** Whether this process runs programs. */
  get isActive(): boolean {
    return this.#isActive;
  }

  /** `place` is where others reach what runs here. */
  async start(place: ServerWorker['place'], signal: AbortSignal): Promise<void> {
    this.#place = place;
    this.#isActive = true;
    await looking.run(() => this.#renew());
    this.#going = Promise.all([this.#look(signal), this.#adopt(signal)]);
  }

  /** After the signal: ends all of it. What runs is left to whoever comes next. */
  async stopped(): Promise<void> {
    this.#isActive = false;
    await this.#going;
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
    const use = server.useNow() ?? refuse('server_starting', 'It was ended meanwhile.');
    return { ...use, isStandIn: false };
  }

  /**
   * Another deploy of the site is live from now on. Where the one before runs here it goes on until the new one answers,
   * and until nobody uses it. `program` is null for a deploy that is files.
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
        await server.start();
      } catch (error) {
        if (!(error instanceof Refusal) && !(error instanceof HeldElsewhere)) throw error;
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
  list(): readonly SiteServer[] {
    return [...this.#servers.values()];
  }

  #serverOf(program: ServedProgram): SiteServer {
    const known = this.#servers.get(program.deployId);
    if (known) return known;
    const { siteId, deployId, digest, slug } = program;
    const server: SiteServer = new SiteServer(program, {
      programs: this.programs,
      limits: { memoryBytes: this.settings.memoryBytes, processes: PROCESSES, diskBytes: DISK_BYTES, cpus: CPUS },
      host: new URL(this.urls.site(slug)).host,
      content: () => this.blobs.stream(digest),
      needs: async () => {
        const needs = await this.sites.needs(siteId);
        if (needs) this.#retirePreviews(server, needs.liveId);
        return needs;
      },
      admit: () => this.#admit(server),
      onChange: async (_, startMs) => {
        const { standing } = server;
        if (startMs !== null) this.counts.started(startMs);
        if (standing.state === 'crashed') this.counts.crashed();
        await telling.run(() => this.leases.say(this.name, deployId, standing, startMs));
      },
      onCrash: async (_, reason) => this.#tellCrash(server, reason),
      onLine: (stream, message, isError) => {
        const level = stream === 'stderr' ? 'warn' : isError ? 'error' : 'info';
        this.log.add({ siteId, deployId, stream, message, at: new Date().toISOString(), level });
      },
    });
    this.#servers.set(deployId, server);
    return server;
  }

  /** Of what a site does not show, one runs: what somebody has looked at before ends when nobody uses it any more. */
  #retirePreviews({ program: { siteId, deployId } }: SiteServer, liveId: string | null): void {
    if (deployId === liveId) return;
    const standIns = [...this.#standIns.values()];
    for (const server of this.list()) {
      const { program } = server;
      if (program.siteId !== siteId || [deployId, liveId].includes(program.deployId) || standIns.includes(server))
        continue;
      void telling.run(() => this.#retire(server, DRAIN_MS));
    }
  }

  /** Makes room by putting to sleep what was used the longest ago; takes the lease. */
  async #admit(server: SiteServer): Promise<void> {
    if (!this.#isActive) refuse('server_starting', 'This worker is being stopped.');
    const up = () => this.list().filter((each) => each.isUp && each !== server);
    while (up().length >= this.settings.atOnce) {
      const [idle] = up()
        .filter(({ uses, standing }) => uses === 0 && standing.state === 'running')
        .sort((one, other) => one.usedAt - other.usedAt);
      if (!idle) {
        this.#servers.delete(server.program.deployId);
        refuse('server_starting', 'As many programs as may run are in use.');
      }
      await this.#sleep(idle, 'Put to sleep: others need its place.');
    }
    if (await this.leases.take(this.name, server.program)) return;
    this.#servers.delete(server.program.deployId);
    throw new HeldElsewhere('Another worker has it.');
  }

  async #sleep(server: SiteServer, why: string): Promise<void> {
    server.say(why);
    this.counts.slept();
    await this.#let(server, await this.#stopped(server));
  }

  /** Until nobody uses it, or the time is over. It sleeps then, should it be live again. */
  async #retire(server: SiteServer, withinMs: number): Promise<void> {
    await server.unused(withinMs);
    // It may be live again meanwhile, by a rollback.
    const { siteId, deployId } = server.program;
    if (this.#servers.get(deployId) !== server || (withinMs > 0 && this.#live.get(siteId) === deployId)) return;
    if (server.isUp) server.say('Ended: another deploy is live.');
    await this.#let(server, await this.#stopped(server));
  }

  async #stopped(server: SiteServer): Promise<ServerStanding> {
    const { standing } = server;
    this.#servers.delete(server.program.deployId);
    await server.stop();
    return standing.state === 'crashed' ? standing : server.standing;
  }

  async #let(server: SiteServer, standing: ServerStanding): Promise<void> {
    await telling.run(() => this.leases.release(this.name, server.program.deployId, standing));
  }

  async #tellCrash({ program: { siteId, deployId } }: SiteServer, reason: string): Promise<void> {
    const last = this.#crashTold.get(deployId) ?? Number.NEGATIVE_INFINITY;
    if (performance.now() - last < CRASH_TOLD_EVERY_MS) return;
    this.#crashTold.set(deployId, performance.now());
    await telling.run(() => this.sites.recordCrash(siteId, deployId, reason));
  }

  /** Whether no worker runs that deploy: then whoever comes first may run what replaces it. */
  async #isNobodys(deployId: string | null): Promise<boolean> {
    if (deployId === null) return true;
    const row = await this.leases.find(deployId);
    return row === null || row.worker === null;
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
    for (const server of this.list()) {
      const { state } = server.standing;
      if (server.uses > 0 || server.usedAt > before || state === 'starting') continue;
      if (state === 'running') await this.#sleep(server, `Put to sleep: ${idleMs / 1_000} s without a request.`);
      else await this.#let(server, await this.#stopped(server));
    }
  }

  async #renew(): Promise<void> {
    const servers = this.list();
    const reports = await Promise.all(
      servers.map(async (server) => ({
        deployId: server.program.deployId,
        uses: server.uses,
        memoryBytes: await server.memoryBytes(),
      })),
    );
    const worker = { worker: this.name, place: this.#place };
    const { held, toStop } = await this.leases.renew(worker, reports, this.settings.atOnce);
    for (const server of servers) {
      const { deployId } = server.program;
      if (toStop.includes(deployId)) await this.#sleep(server, 'Put to sleep by the operator.');
      // What has just been taken may not have been in the table when it was renewed.
      else if (!held.has(deployId) && server.standing.state === 'running') await this.#lose(server);
    }
  }

  /** Another worker has taken it, when this one had not said for too long that it is there. */
  async #lose(server: SiteServer): Promise<void> {
    this.#servers.delete(server.program.deployId);
    await server.stop();
  }

  /** What ran in a worker that is gone, or before the service was restarted, runs again. */
  async #adopt(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await adopting.run(async () => {
        for (const row of await this.leases.orphans()) {
          if (this.#servers.has(row.deployId) || this.list().filter((each) => each.isUp).length >= this.settings.atOnce)
            continue;
          const { siteId, slug, deployId, digest, kind } = row;
          await this.#serverOf({ siteId, slug, deployId, digest, kind })
            .start()
            .catch((error: unknown) => {
              if (!(error instanceof Refusal) && !(error instanceof HeldElsewhere)) throw error;
            });
        }
      });
      await delay(ADOPT_EVERY_MS, undefined, { signal, ref: false }).catch(waitEnded);
    }
  }
}
