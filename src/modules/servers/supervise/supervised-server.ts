import { setTimeout as delay } from 'node:timers/promises';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { heardElsewhere, waitEnded } from '../../../kernel/faults/ignored-fault.js';
import { Masks } from '../../../kernel/output/masks.js';
import { type RunningServer, UnrunnableServerError } from '../../../kernel/ports/outside/server-runner.js';
import type { ServedDeploy } from '../../../kernel/ports/served-deploy.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import type { ServerStanding } from '../../sites/api/server-state.js';
import { PrintedLines } from '../output/printed-lines.js';
import { CRASHED } from '../output/server-log.js';
import { crashReason } from './crash-reason.js';
import { PassiveHealth, type ServerUse } from './passive-health.js';
import { Restarts } from './restarts.js';
import type { SiteServerParts } from './site-server-parts.js';
import { hasResponse, waitForResponse } from './wait-for-response.js';

export type LocalUse = ServerUse & {
  readonly socketPath: string;
  /** Records that a request to the server failed. Does not end the visitor's use of the server. */
  failed(): void;
};

/** Time limit for the first response of a started server. */
const STARTS_WITHIN_MS = 60_000;
/**
 * CHECK_MS is the timeout of a health check. After a failed check, a server has ENDS_WITHIN_MS to exit by itself before
 * it is stopped.
 */
const CHECK_MS = 10_000;
const ENDS_WITHIN_MS = 5_000;

const checking = new BackgroundTask('check_servers');

/** A server of a site and its state, across all its starts and stops. */
export class SupervisedServer {
  #standing: ServerStanding = { state: 'sleeping', since: new Date(), reason: null };
  #running: RunningServer | null = null;
  #socketPath: string | null = null;
  #starting: Promise<void> | null = null;
  #ending = new AbortController();
  #isChecking = false;
  readonly #uses = new PassiveHealth(() => this.#checkOnce());
  readonly #restarts = new Restarts();

  constructor(
    readonly deploy: ServedDeploy,
    private readonly parts: SiteServerParts,
  ) {}

  get standing(): ServerStanding {
    return this.#standing;
  }

  get uses(): number {
    return this.#uses.count;
  }

  get usedAt(): number {
    return this.#uses.usedAt;
  }

  get isUp(): boolean {
    return this.#running !== null || this.#starting !== null;
  }

  async memoryBytes(): Promise<number | null> {
    return (await this.#running?.memoryBytes()) ?? null;
  }

  /** Registers a visitor and returns access to the server if it is running; otherwise returns null. */
  useNow(): LocalUse | null {
    const socketPath = this.#socketPath;
    if (socketPath === null) return null;
    return { socketPath, ...this.#uses.begin(), failed: () => this.#uses.failed() };
  }

  /**
   * Starts the server. Refuses with `server_failed` if it crashes while it starts, or has crashed and its restart is
   * delayed.
   */
  async start(): Promise<void> {
    if (this.#socketPath !== null) return;
    this.#uses.usedAt = performance.now();
    if (this.#starting === null) {
      if (this.#restarts.isLeftAlone) this.#refuseCrashed();
      this.#ending = new AbortController();
      this.#starting = this.#start().finally(() => {
        this.#starting = null;
      });
      this.#starting.catch(heardElsewhere);
    }
    await this.#starting;
  }

  /** Stops the server. Its state is then `sleeping`, and the caller must release its lease. */
  async stop(): Promise<void> {
    this.#ending.abort();
    const running = this.#running;
    this.#forgetRunning();
    await running?.stop();
    await this.#starting?.catch(heardElsewhere);
    this.#standing = { state: 'sleeping', since: new Date(), reason: null };
  }

  unused(withinMs: number): Promise<void> {
    return this.#uses.over(withinMs);
  }

  say(text: string, isError = false): void {
    this.parts.onLine(null, text, isError);
  }

  async #start(): Promise<void> {
    const { signal } = this.#ending;
    const { pause } = this.#restarts;
    if (pause > 0) await delay(pause, undefined, { signal }).catch(waitEnded);
    if (signal.aborted) refuse('server_failed', 'The server was stopped before it started.');
    await this.parts.admit();
    await this.#become('starting', null);
    const began = performance.now();
    const lost = await this.#run(signal).catch(async (error: unknown) => {
      await this.#become('crashed', error instanceof Refusal ? (error.detail ?? error.code) : notStarted(error));
      throw error;
    });
    if (lost === null) {
      const startMs = Math.round(performance.now() - began);
      this.say(`Started in ${startMs} ms.`);
      await this.#become('running', null, startMs);
      return;
    }
    if (signal.aborted) refuse('server_failed', 'The server was stopped before it started.');
    await this.#crash(lost);
    this.#refuseCrashed();
  }

  /** Starts the server's process. Resolves to null when it responds, or to the reason why it does not. */
  async #run(signal: AbortSignal): Promise<string | null> {
    const { runner, deploy, limits } = { ...this.parts, deploy: this.deploy };
    const needs = await this.parts.needs();
    if (needs === null) refuse('server_failed', 'The site is no longer available.');
    const lines = new PrintedLines(new Masks(needs.environment.values()), (stream, text) =>
      this.parts.onLine(stream, text, false),
    );
    const toRun = {
      ...{ kind: deploy.kind, digest: deploy.digest, content: this.parts.content, limits },
      ...{ env: Object.fromEntries(needs.environment), hosts: needs.hosts, onOutput: lines.print },
      onRefused: (host: string, why: string) => this.say(`Blocked a connection: ${host} ${why}.`, true),
    };
    let running: RunningServer;
    try {
      running = await runner.start(toRun, signal);
    } catch (error) {
      if (error instanceof Refusal) throw error;
      return error instanceof UnrunnableServerError ? error.message : notStarted(error);
    }
    this.#running = running;
    const ended = running.ended.then(async (end) => {
      await lines.end();
      return crashReason(end);
    });
    const tooLate = AbortSignal.timeout(STARTS_WITHIN_MS);
    const over = new AbortController();
    const first = waitForResponse(running, this.parts.host, AbortSignal.any([signal, tooLate, over.signal]));
    const came = await Promise.race([first.then((path) => ({ path })), ended.then((reason) => ({ reason }))]);
    over.abort();
    if ('path' in came && came.path !== null && !signal.aborted) {
      this.#socketPath = came.path;
      this.#uses.answered();
      void ended.then((reason) => this.#ended(running, reason));
      return null;
    }
    this.#running = null;
    const why = 'reason' in came ? null : await running.whySilent();
    await running.stop();
    await ended;
    if ('reason' in came) return came.reason;
    return [`The server did not respond within ${STARTS_WITHIN_MS / 1_000} seconds.`, why ?? []].flat().join(' ');
  }

  /** Handles the exit of the server's process after a successful start. Does nothing if it was stopped on purpose. */
  async #ended(running: RunningServer, reason: string): Promise<void> {
    if (this.#running !== running) return;
    this.#restarts.ranFor(Date.now() - this.#standing.since.getTime());
    this.#forgetRunning();
    await this.#crash(reason);
    const { signal } = this.#ending;
    if (this.#restarts.isGivenUp) return;
    await delay(this.#restarts.pause, undefined, { signal, ref: false }).catch(waitEnded);
    if (signal.aborted || this.isUp) return;
    // A working server is not put to sleep to make room for a server that crashes.
    if (this.parts.hasRoom()) await this.start().catch(heardElsewhere);
    else
      this.say(
        'Not restarted because the maximum number of servers is already running. The next request to the site starts it.',
      );
  }

  async #crash(reason: string): Promise<void> {
    this.#restarts.crashed();
    this.say(`${CRASHED}${reason}`, true);
    await this.#become('crashed', reason);
    if (this.#restarts.isFirst) await this.parts.onCrash(reason);
  }

  #refuseCrashed(): never {
    return refuse('server_failed', this.#standing.reason ?? undefined);
  }

  async #become(state: ServerStanding['state'], reason: string | null, startMs: number | null = null) {
    this.#standing = { state, since: new Date(), reason };
    await this.parts.onChange(startMs);
  }

  #forgetRunning() {
    this.#running = null;
    this.#socketPath = null;
  }

  #checkOnce() {
    if (this.#isChecking) return;
    this.#uses.doubted();
    this.#isChecking = true;
    void checking
      .run(() => this.#check())
      .finally(() => {
        this.#isChecking = false;
      });
  }

  async #check(): Promise<void> {
    const path = this.#socketPath;
    const running = this.#running;
    if (path === null || running === null) return;
    if (await hasResponse(path, this.parts.host, AbortSignal.timeout(CHECK_MS))) return;
    // If the process has exited, the exit handler reports the crash.
    const end = await Promise.race([running.ended, delay(ENDS_WITHIN_MS, null, { ref: false })]);
    if (end !== null || this.#running !== running) return;
    this.#forgetRunning();
    await running.stop();
    await this.#crash('The server no longer responds.');
  }
}

const notStarted = (error: unknown) =>
  `The server could not be started: ${(error instanceof Error ? error.message : String(error)).slice(0, 300)}`;
