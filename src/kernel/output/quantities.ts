const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

const numbers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** `1,024`: a number with separators, and at most one digit after the point. */
export const formatNumber = (count: number | bigint): string => numbers.format(count);

/** `1 file`, `20,000 files`; the plural is `one` with an s unless given. */
export const plural = (count: number | bigint, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${Number(count) === 1 ? one : many}`;

/** `1 byte`, `640 bytes`, `1.5 KiB`, `50 MiB`: the largest binary unit that leaves at least 1. */
export function formatBytes(bytes: number): string {
  if (Math.abs(bytes) < 1_024) return plural(bytes, 'byte');
  const power = Math.min(Math.floor(Math.log2(Math.abs(bytes)) / 10), UNITS.length - 1);
  return `${formatNumber(bytes / 1_024 ** power)} ${UNITS[power]}`;
}
