const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

const numbers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** Formats a number with thousands separators and no more than one decimal digit, such as `1,024`. */
export const formatNumber = (count: number | bigint): string => numbers.format(count);

/** Returns a string such as `1 file` or `20,000 files`. The plural defaults to `one` followed by an s. */
export const plural = (count: number | bigint, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${Number(count) === 1 ? one : many}`;

/**
 * Formats bytes in the largest binary unit in which the value is at least 1, such as `640 bytes`, `1.5 KiB` or `50
 * MiB`.
 */
export function formatBytes(bytes: number): string {
  if (Math.abs(bytes) < 1_024) return plural(bytes, 'byte');
  const power = Math.min(Math.floor(Math.log2(Math.abs(bytes)) / 10), UNITS.length - 1);
  return `${formatNumber(bytes / 1_024 ** power)} ${UNITS[power]}`;
}
