import { plural } from '../../../kernel/output/quantities.js';
import { computeUptime, type ShownDay } from '../board/shown-days.js';
import type { PartStatus, StatusSnapshot } from '../board/status-snapshot.js';

export const STATUS_WORDS: Readonly<Record<PartStatus, string>> = {
  well: 'Operational',
  failing: 'Failing',
  unknown: 'Unknown',
};

export function formatHeadline({
  status,
  parts,
  incidents,
}: Pick<StatusSnapshot, 'status' | 'parts' | 'incidents'>): string {
  const failing = parts.filter((part) => part.status === 'failing').map(({ title }) => title);
  if (failing.length > 2) return `${failing.length} components are failing`;
  if (failing.length > 0) return `Failing: ${failing.join(' and ')}`;
  if (incidents.some((incident) => incident.status !== 'resolved')) return 'There is an open incident';
  return status === 'well' ? 'All systems are operational' : 'The status of some components is unknown';
}

const dates = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' });
const times = new Intl.DateTimeFormat('en-GB', {
  ...{ day: 'numeric', month: 'long', hour: '2-digit', minute: '2-digit' },
  timeZone: 'UTC',
});

/** Formats a day, for example as `3 November`. */
export const formatDate = (day: string) => dates.format(new Date(day));

/** Formats a time, for example as `3 November at 14:05 UTC`. */
export const formatTime = (time: Date) => `${times.format(time)} UTC`;

export const percent = (uptime: number | null) => (uptime === null ? 'no result' : `${uptime.toFixed(2)}%`);

/** Describes the results of a day for readers who can't see its bar in the chart. */
export function formatDayText(day: ShownDay): string {
  const uptime = computeUptime([day]);
  if (uptime === null) return `${formatDate(day.day)}: no result`;
  const failed = day.failing > 0 ? `, failing for ${plural(day.failing, 'minute')}` : '';
  const missed = day.unknown > 0 ? `, no result for ${plural(day.unknown, 'minute')}` : '';
  return `${formatDate(day.day)}: ${percent(uptime)}${failed}${missed}`;
}

/** Describes the results of all days for readers who can't see the bars of the chart. */
export function formatDaySpan(title: string, days: readonly ShownDay[]): string {
  const failed = days.filter(({ failing }) => failing > 0).length;
  const silent = days.filter((day) => computeUptime([day]) === null).length;
  return `${title} in the last ${days.length} days: ${percent(computeUptime(days))}; ${plural(failed, 'day')} with failures, ${plural(silent, 'day')} without results.`;
}
