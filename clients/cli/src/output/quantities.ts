const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  if (power === 0) return plural(bytes, 'byte');
  const value = bytes / 1024 ** power;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${UNITS[power]}`;
}

export const plural = (count: number, noun: string, many = `${noun}s`) =>
  `${count.toLocaleString('en-US')} ${count === 1 ? noun : many}`;

export function formatDuration(ms: number): string {
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Formats a time for a log, such as `2026-11-29 00:12:08`. It is in UTC. */
export const formatSecond = (time: string) => `${time.slice(0, 10)} ${time.slice(11, 19)}`;

/** Formats a time for a list, such as `2026-11-29 00:12`. It is in UTC, so that everybody sees the same time. */
export const formatTime = (time: string) => `${time.slice(0, 10)} ${time.slice(11, 16)}`;

/** Formats the time that is left until a deadline, such as `14 days`. */
export function formatTimeLeft(deadline: string): string {
  const minutes = Math.max(1, Math.round((Date.parse(deadline) - Date.now()) / 60_000));
  if (minutes < 120) return plural(minutes, 'minute');
  return minutes < 2880 ? plural(Math.round(minutes / 60), 'hour') : plural(Math.round(minutes / 1440), 'day');
}

/** Formats a deadline in local time, such as `Sun Dec 13 2026 10:05 (in 14 days)`. */
export const formatDeadline = (time: string) => `${String(new Date(time)).slice(0, 21)} (in ${formatTimeLeft(time)})`;
