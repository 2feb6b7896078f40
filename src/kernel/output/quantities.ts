const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

const numbers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

export const formatNumber = (count: number | bigint): string => numbers.format(count);

export const plural = (count: number | bigint, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${Number(count) === 1 ? one : many}`;

/** Formats a size and the limit that it exceeds. Both are in exact bytes if the rounded sizes would be the same. */
export function formatExcess(size: number, limit: number): readonly [size: string, limit: string] {
  const rounded = [formatBytes(size), formatBytes(limit)] as const;
  return rounded[0] === rounded[1] ? [plural(size, 'byte'), plural(limit, 'byte')] : rounded;
}

/** Formats bytes in the largest binary unit that fits, such as `640 bytes` or `1.5 KiB`. */
export function formatBytes(bytes: number): string {
  if (Math.abs(bytes) < 1_024) return plural(bytes, 'byte');
  const power = Math.min(Math.floor(Math.log2(Math.abs(bytes)) / 10), UNITS.length - 1);
  return `${formatNumber(bytes / 1_024 ** power)} ${UNITS[power]}`;
}
