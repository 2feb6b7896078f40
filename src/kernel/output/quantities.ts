const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

const numbers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** Formats a number with separators and at most one decimal digit: `1,024`. */
export const formatNumber = (count: number | bigint): string => numbers.format(count);

/** `1 file`, `20,000 files`. The plural defaults to `one` with an s. */
export const plural = (count: number | bigint, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${Number(count) === 1 ? one : many}`;

/** Formats bytes in the largest binary unit that gives at least 1: `1 byte`, `640 bytes`, `1.5 KiB`, `50 MiB`. */
export function formatBytes(bytes: number): string {
  if (Math.abs(bytes) < 1_024) return plural(bytes, 'byte');
  const power = Math.min(Math.floor(Math.log2(Math.abs(bytes)) / 10), UNITS.length - 1);
  return `${formatNumber(bytes / 1_024 ** power)} ${UNITS[power]}`;
}
