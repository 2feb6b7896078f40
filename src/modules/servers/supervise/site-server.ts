import { setTimeout as delay } from 'node:timers/promises';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { heardElsewhere, waitEnded } from '../../../kernel/faults/ignored-fault.js';
import { Masks } from '../../../kernel/output/masks.js';
import {
  ProgramFault,
  type ProgramLimits,
  type Programs,
  type RunningProgram,
} from '../../../kernel/ports/outside/programs.js';
import type { ServerNeeds } from '../../../kernel/ports/server-sites.js';
import type { ServedProgram } from '../../../kernel/ports/site-servers.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import type { ServerStanding } from '../../../tables/servers/server-leases.js';
import { PrintedLines, type Stream } from '../output/printed-lines.js';
import { crashReason, pauseAfter } from './crash-reason.js';
import { answers, firstAnswer } from './first-answer.js';

/** What a program is run with. */
export type SiteServerParts = {
  readonly programs: Programs;
  readonly limits: ProgramLimits;
  /** Of a request that finds out whether it answers. */
  readonly host: string;
  readonly content: () => AsyncIterable<Uint8Array>;
  /** Null for a site that is not shown. */
  readonly needs: () => Promise<ServerNeeds | null>;
  /** Waits for room, and for the right to start it. Refuses where there is none. */
  readonly admit: () => Promise<void>;
  /** Is told of each change. `startMs` of one that has just started. Never rejects. */
  readonly onChange: (server: SiteServer, startMs: number | null) => Promise<void>;
  /** Of a crash that is the first in a row. Never rejects. */
  readonly onCrash: (server: SiteServer, reason: string) => Promise<void>;
  readonly onLine: (stream: Stream | null, text: string, isError: boolean) => void;
};

/** A use of the program, as long as it is not released. */
export type LocalUse = {
  readonly socketPath: string;
  release(outcome: 'answered' | 'failed'): void;
  /** A request by it has come to nothing, and others go on. */
  failed(): void;
};

/** A program that was started has so long to answer for the first time. Milliseconds. */
const STARTS_WITHIN_MS = 60_000;
/** Running for so long, a crash is the first in a row. */
const STEADY_MS = 60_000;
/** A visitor waits for the end of a pause up to so long. */
const SHORT_PAUSE_MS = 3_000;
/** So many crashes in a row, and it is started again only when somebody asks for it. */
const MOST_RESTARTS = 8;
/** So many uses in a row that came to nothing, and it is asked whether it answers at all. */
const FAILURES_SEEN = 5;
/** Or one that came to nothing, where it has answered nobody for so long. Milliseconds. */
const SILENT_MS = 30_000;
const CHECK_MS = 10_000;
const ENDS_WITHIN_MS = 5_000;

const checking = new BackgroundTask('check_servers');

/** One program of a site, from its first start to its last end: what it is, and what becomes of it. */
export class SiteServer {
  #standing: ServerStanding = { state: 'sleeping', since: new Date(), reason: null };
  #running: RunningProgram | null = null;
  #socketPath: string | null = null;
  #starting: Promise<void> | null = null;
  #ending = new AbortController();
  #uses = 0;
  #onIdle: (() => void)[] = [];
  #crashesInARow = 0;
  #mayStartAt = 0;
  #failuresInARow = 0;
  /** By `performance.now()`, as far as is known here. */
  #answeredAt = 0;
  #isChecking = false;
  /** By `performance.now()`. */
  usedAt = performance.now();

  constructor(
    readonly program: ServedProgram,
    private readonly parts: SiteServerParts,
  ) {}

  get standing(): ServerStanding {
    return this.#standing;
  }

  get uses(): number {
    return this.#uses;
  }

  /** Whether it has a process, or is getting one. */
  get isUp(): boolean {
    return this.#running !== null || this.#starting !== null;
  }

  async memoryBytes(): Promise<number | null> {
    return (await this.#running?.memoryBytes()) ?? null;
  }

  /** Uses it at once; null where it does not run. */
  useNow(): LocalUse | null {
    const socketPath = this.#socketPath;
    if (socketPath === null) return null;
    this.#uses += 1;
    this.usedAt = performance.now();
    let isReleased = false;
    const release = (outcome: 'answered' | 'failed') => {
      if (isReleased) return;
      isReleased = true;
      this.#release(outcome);
    };
    return { socketPath, release, failed: () => this.#failed() };
  }

  /**
   * Resolves when it runs. Refuses with `server_failed` where it has crashed and is left alone for a while, or crashes
   * meanwhile.
   */
  async start(): Promise<void> {
    if (this.#socketPath !== null) return;
    this.usedAt = performance.now();
    if (this.#starting === null) {
      const pause = this.#mayStartAt - performance.now();
      if (pause > SHORT_PAUSE_MS) this.#refuseCrashed();
      this.#ending = new AbortController();
      this.#starting = this.#start(pause).finally(() => {
        this.#starting = null;
      });
      this.#starting.catch(heardElsewhere);
    }
    await this.#starting;
  }

  /** Ends it. `state` says what becomes of it; its lease is given up by whoever calls this. */
  async stop(): Promise<void> {
    this.#ending.abort();
    const running = this.#running;
    this.#forgetRunning();
    await running?.stop();
    await this.#starting?.catch(heardElsewhere);
    this.#standing = { state: 'sleeping', since: new Date(), reason: null };
  }

  /** Resolves when nobody uses it, or the time is over. Milliseconds. */
  async unused(withinMs: number): Promise<void> {
    if (this.#uses === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onIdle.push(resolve);
    await Promise.race([promise, delay(withinMs, undefined, { ref: false })]);
  }

  say(text: string, isError = false): void {
    this.parts.onLine(null, text, isError);
  }

  async #start(pause: number): Promise<void> {
    const { signal } = this.#ending;
    if (pause > 0) await delay(pause, undefined, { signal }).catch(waitEnded);
    if (signal.aborted) refuse('server_failed', 'It was ended before it had started.');
    await this.parts.admit();
    await this.#become('starting', null);
    const began = performance.now();
    const lost = await this.#run(signal).catch(async (error: unknown) => {
      await this.#become('crashed', error instanceof Refusal ? (error.detail ?? error.code) : reasonOf(error));
      throw error;
    });
    if (lost === null) {
      const startMs = Math.round(performance.now() - began);
      this.say(`Started in ${startMs} ms.`);
      await this.#become('running', null, startMs);
      return;
    }
    if (signal.aborted) refuse('server_failed', 'It was ended before it had started.');
    await this.#crash(lost);
    this.#refuseCrashed();
  }

  /** Null when it answers; why it does not, otherwise. */
  async #run(signal: AbortSignal): Promise<string | null> {
    const { programs, program, limits } = { ...this.parts, program: this.program };
    const needs = await this.parts.needs();
    if (needs === null) refuse('server_failed', 'The site is not shown.');
    const lines = new PrintedLines(new Masks(needs.environment.values()), (stream, text) =>
      this.parts.onLine(stream, text, false),
    );
    const toRun = {
      ...{ kind: program.kind, digest: program.digest, content: this.parts.content, limits },
      ...{ env: Object.fromEntries(needs.environment), hosts: needs.hosts, onOutput: lines.print },
      onRefused: (host: string, why: string) => this.say(`It was not let to ${host}, which ${why}.`, true),
    };
    let running: RunningProgram;
    try {
      running = await programs.start(toRun, signal);
    } catch (error) {
      if (error instanceof Refusal) throw error;
      return error instanceof ProgramFault ? error.message : `It could not be started: ${reasonOf(error)}`;
    }
    this.#running = running;
    const ended = running.ended.then(async (end) => {
      await lines.end();
      return crashReason(end);
    });
    const tooLate = AbortSignal.timeout(STARTS_WITHIN_MS);
    const over = new AbortController();
    const first = firstAnswer(running, this.parts.host, AbortSignal.any([signal, tooLate, over.signal]));
    const came = await Promise.race([first.then((path) => ({ path })), ended.then((reason) => ({ reason }))]);
    over.abort();
    if ('path' in came && came.path !== null && !signal.aborted) {
      this.#socketPath = came.path;
      this.#answeredAt = performance.now();
      void ended.then((reason) => this.#ended(running, reason));
      return null;
    }
    this.#running = null;
    await running.stop();
    await ended;
    return 'reason' in came ? came.reason : `It did not answer within ${STARTS_WITHIN_MS / 1_000} seconds.`;
  }

  /** It ended after it had answered: by itself, unless it was ended. */
  async #ended(running: RunningProgram, reason: string): Promise<void> {
    if (this.#running !== running) return;
    if (Date.now() - this.#standing.since.getTime() >= STEADY_MS) this.#crashesInARow = 0;
    this.#forgetRunning();
    await this.#crash(reason);
    const { signal } = this.#ending;
    if (this.#crashesInARow > MOST_RESTARTS) return;
    await delay(this.#mayStartAt - performance.now(), undefined, { signal, ref: false }).catch(waitEnded);
    if (!signal.aborted && !this.isUp) await this.start().catch(heardElsewhere);
  }

  async #crash(reason: string): Promise<void> {
    this.#crashesInARow += 1;
    this.#mayStartAt = performance.now() + pauseAfter(this.#crashesInARow);
    this.say(`Crashed: ${reason}`, true);
    await this.#become('crashed', reason);
    if (this.#crashesInARow === 1) await this.parts.onCrash(this, reason);
  }

  #refuseCrashed(): never {
    return refuse('server_failed', this.#standing.reason ?? undefined);
  }

  async #become(state: ServerStanding['state'], reason: string | null, startMs: number | null = null) {
    this.#standing = { state, since: new Date(), reason };
    await this.parts.onChange(this, startMs);
  }

  #forgetRunning() {
    this.#running = null;
    this.#socketPath = null;
  }

  #release(outcome: 'answered' | 'failed') {
    this.#uses -= 1;
    this.usedAt = performance.now();
    if (this.#uses === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
    if (outcome === 'failed') return this.#failed();
    this.#failuresInARow = 0;
    this.#answeredAt = performance.now();
  }

  #failed() {
    this.#failuresInARow += 1;
    const isSilent = performance.now() - this.#answeredAt > SILENT_MS;
    if (this.#isChecking || (this.#failuresInARow < FAILURES_SEEN && !isSilent)) return;
    this.#failuresInARow = 0;
    this.#isChecking = true;
    void checking
      .run(() => this.#check())
      .finally(() => {
        this.#isChecking = false;
      });
  }

  /** One that answers nobody is as good as gone. */
  async #check(): Promise<void> {
    const path = this.#socketPath;
    const running = this.#running;
    if (path === null || running === null) return;
    if (await answers(path, this.parts.host, AbortSignal.timeout(CHECK_MS))) return;
    // One that has ended says why by itself.
    const end = await Promise.race([running.ended, delay(ENDS_WITHIN_MS, null, { ref: false })]);
    if (end !== null || this.#running !== running) return;
    this.#forgetRunning();
    await running.stop();
    await this.#crash('It does not answer any more.');
  }
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error)).slice(0, 300);
