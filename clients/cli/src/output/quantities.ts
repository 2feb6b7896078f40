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
