import type { StatusDay } from '../probes/probe-results.js';

/** A component's probe results for one day (UTC), as numbers of minutes. */
export type ShownDay = {
  /** The day in the form `YYYY-MM-DD` (UTC). */
  readonly day: string;
  readonly well: number;
  readonly failing: number;
  /** Minutes without a probe result, because no probe ran or the service was down. */
  readonly unknown: number;
};

export const SHOWN_DAYS = 90;

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Time after which a minute without a probe result counts as missing. Until then, its result may still be recorded. */
const LATE_MS = 2 * MINUTE_MS;

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/**
 * Returns the results of the ninety days up to `now`, oldest first. Minutes before the first result do not count as
 * unknown.
 */
export function shownDays(records: readonly StatusDay[], now: number): readonly ShownDay[] {
  const byDay = new Map(records.map((record) => [record.day, record]));
  const first = records.reduce((least, { since }) => Math.min(least, since.getTime()), Number.POSITIVE_INFINITY);
  return Array.from({ length: SHOWN_DAYS }, (_, n) => {
    const day = dayOf(now - (SHOWN_DAYS - 1 - n) * DAY_MS);
    const { well = 0, failing = 0 } = byDay.get(day) ?? {};
    const begins = Math.max(Date.parse(day), first);
    const ends = Math.min(Date.parse(day) + DAY_MS, now - LATE_MS);
    const expected = Math.max(0, Math.floor((ends - begins) / MINUTE_MS));
    return { day, well, failing, unknown: Math.max(0, expected - well - failing) };
  });
}

/**
 * Returns the percentage of minutes without a failed probe, ignoring unknown minutes. Returns null if all minutes are
 * unknown. 100 means that no minute failed: other values are never rounded up to 100.
 */
export function computeUptime(days: readonly ShownDay[]): number | null {
  const well = days.reduce((sum, day) => sum + day.well, 0);
  const failing = days.reduce((sum, day) => sum + day.failing, 0);
  return well + failing === 0 ? null : Math.floor((well / (well + failing)) * 10_000) / 100;
}
