import { Injectable } from '@nestjs/common';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { TrafficSettings } from '../../../settings/traffic-settings.js';
import { AccessEntries } from '../record/tables/access-entries.js';
import { computeDayNumber } from '../record/tables/access-partitions.js';

const EVERY_MS = 600_000;

/** Number of days after today for which partitions are created in advance. */
const AHEAD = 2;

@Injectable()
export class Retention {
  readonly #task = new BackgroundTask('old_entries_of_logs');

  constructor(
    private readonly settings: TrafficSettings,
    private readonly entries: AccessEntries,
  ) {}

  start(signal: AbortSignal) {
    const look = () => void this.#task.run(() => this.look());
    look();
    const timer = setInterval(look, EVERY_MS).unref();
    signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  }

  async look(now = Date.now()): Promise<void> {
    const today = computeDayNumber(now);
    await this.entries.partitions.make(Array.from({ length: AHEAD + 1 }, (_, n) => today + n));
    // Even if no days are to be kept, yesterday's entries must remain until they are added up by hour and day.
    await this.entries.partitions.dropBefore(today - Math.max(this.settings.accessKeptDays, 1));
    await this.entries.forgetDropped(today - this.settings.rollupsKeptDays);
  }
}
