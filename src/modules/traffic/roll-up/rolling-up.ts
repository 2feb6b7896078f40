import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { waitEnded } from '../../../kernel/faults/ignored-fault.js';
import { pollLoop } from '../../../nest/poll-loop.js';
import { TrafficSettings } from '../../../settings/traffic-settings.js';
import { HOURS_KEPT_DAYS } from './hours-kept.js';
import { computePause } from './pause-after-work.js';
import { TrafficRollUps } from './tables/traffic-roll-ups.js';
import { DAY_MS, HOUR_MS, truncateToDay } from './tables/whole-days.js';

/** LATE_MS is the time after midnight in which entries of the previous day may still arrive. */
const LOOK_EVERY_MS = 600_000;
const LATE_MS = 2 * HOUR_MS;

/**
 * Adds up traffic by hour and day, and deletes old traffic. If several processes run this, only one works at a time.
 */
@Injectable()
export class RollingUp {
  readonly #task = new BackgroundTask('roll_up_traffic');
  #running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly rollUps: TrafficRollUps,
    private readonly settings: TrafficSettings,
  ) {}

  start(signal: AbortSignal) {
    const task = { name: 'forget_old_traffic', everyMs: LOOK_EVERY_MS, signal };
    this.#running = Promise.all([this.#again(signal), pollLoop(task, () => this.forgetOld())]);
  }

  /**
   * Resolves when the current roll-up has ended. Must be called after the signal has aborted. Unfinished work is
   * cancelled and repeated later.
   */
  async stopped() {
    await this.#running;
  }

  async #again(signal: AbortSignal) {
    while (!signal.aborted) {
      const began = performance.now();
      let isMore: boolean | undefined;
      await this.#task.run(async () => {
        isMore = await this.rollUps.takeIn();
      });
      const rest = computePause(performance.now() - began);
      await delay(isMore ? rest / 4 : rest, undefined, { signal, ref: false }).catch(waitEnded);
    }
  }

  /** Deletes old traffic. Always returns false, so that the poll loop waits for its interval. */
  async forgetOld(now = Date.now()): Promise<false> {
    const { accessKeptDays, rollupsKeptDays } = this.settings;
    const today = truncateToDay(now);
    await this.rollUps.forgetBefore(
      new Date(today - Math.min(HOURS_KEPT_DAYS, rollupsKeptDays) * DAY_MS),
      new Date(today - rollupsKeptDays * DAY_MS),
    );
    if (accessKeptDays === 0) await this.rollUps.close(new Date(truncateToDay(now - LATE_MS)), { withEntries: true });
    else await this.rollUps.close(new Date(today - accessKeptDays * DAY_MS));
    return false;
  }
}
