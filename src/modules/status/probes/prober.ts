import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { waitEnded } from '../../../kernel/faults/ignored-fault.js';
import { StatusSettings } from '../../../settings/status-settings.js';
import { LatestProbeFindings } from '../api/probe-findings.js';
import { StatusBoard } from '../board/status-board.js';
import { PartProbes } from './part-probes.js';
import { type ProbeResult, ProbeResultStore } from './probe-results.js';
import { SiteRound } from './site-probe.js';

/** Maximum number of probe results that wait to be recorded: a day of probes, with eight components per minute. */
const MOST = 8 * 1_440;

/** Probe results that wait to be recorded. If there are more than `MOST`, the oldest are dropped. */
class UnrecordedResults {
  #results: readonly ProbeResult[] = [];

  add(results: readonly ProbeResult[]): void {
    this.#results = [...this.#results, ...results].slice(-MOST);
  }

  list(): readonly ProbeResult[] {
    return this.#results;
  }

  drop(recorded: readonly ProbeResult[]): void {
    const gone = new Set(recorded);
    this.#results = this.#results.filter((each) => !gone.has(each));
  }
}

/**
 * Maximum interval between a process's attempts to claim the current period. It is short, so that another process soon
 * takes over if the one that probes exits.
 */
const LOOK_AT_MOST_MS = 5_000;

/** Time limit for claiming a period and for recording results in the database. */
const PATIENCE_MS = 3_000;

const taking = new BackgroundTask('take_turn_to_probe');
const recording = new BackgroundTask('record_probes');

/**
 * Probes every component once per period. Only the first process to claim a period probes in it. If the database is
 * unavailable, each process probes and keeps its results until they can be recorded.
 */
@Injectable()
export class Prober {
  readonly #unrecorded = new UnrecordedResults();
  #aloneIn = -1;
  #going: Promise<void> = Promise.resolve();

  constructor(
    private readonly settings: StatusSettings,
    private readonly results: ProbeResultStore,
    private readonly site: SiteRound,
    private readonly parts: PartProbes,
    private readonly board: StatusBoard,
    private readonly findings: LatestProbeFindings,
  ) {}

  /** Starts probing. Must be called after the process has begun to listen for requests. */
  start(signal: AbortSignal) {
    const { everyMs } = this.settings;
    if (everyMs !== null) this.#going = this.#run(everyMs, signal);
  }

  /** Resolves when the current probe has ended. Must be called after the signal has aborted. */
  async stopped() {
    await this.#going;
  }

  async #run(everyMs: number, signal: AbortSignal) {
    const lookMs = Math.min(LOOK_AT_MOST_MS, Math.ceil(everyMs / 4));
    for (;;) {
      await delay(lookMs, undefined, { signal, ref: false }).catch(waitEnded);
      if (signal.aborted) return;
      if (await this.#isOurTurn(everyMs)) await this.#probe(signal);
    }
  }

  async #isOurTurn(everyMs: number): Promise<boolean> {
    try {
      const isOurs = await inTime(this.results.takeTurn(everyMs));
      taking.succeeded();
      return isOurs;
    } catch (error) {
      taking.failed(error);
      const turn = Math.floor(Date.now() / everyMs);
      const isNew = turn !== this.#aloneIn;
      this.#aloneIn = turn;
      return isNew;
    }
  }

  async #probe(signal: AbortSignal) {
    const at = new Date();
    const found = (await Promise.all([this.site.run(signal), this.parts.run(signal)]))
      .flat()
      .filter((each) => each !== null);
    if (signal.aborted) return;
    this.findings.latest = found;
    const results = found.map((each) => ({ ...each, at }));
    this.board.note(results);
    this.#unrecorded.add(results);
    await recording.run(async () => {
      const all = this.#unrecorded.list();
      await inTime(this.results.record(all));
      this.#unrecorded.drop(all);
    });
  }
}

async function inTime<Answer>(asked: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The database did not respond in time.')), PATIENCE_MS);
  });
  return Promise.race([asked, late]).finally(() => clearTimeout(timer));
}
