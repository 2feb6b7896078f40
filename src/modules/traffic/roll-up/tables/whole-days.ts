/** A range of whole hours, in milliseconds since 1970. `to` is exclusive. */
export type Span = { readonly from: number; readonly to: number };

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Truncates a time to the start of its hour or day (UTC). Times are in milliseconds since 1970. */
export const truncateToHour = (at: number) => Math.floor(at / HOUR_MS) * HOUR_MS;
export const truncateToDay = (at: number) => Math.floor(at / DAY_MS) * DAY_MS;

export type WholeDays = {
  /** Whole days (UTC) for which daily figures exist. Can be empty. */
  readonly days: Span;
  /** The parts of the span before and after the whole days. Each part is a range of hours within one day. */
  readonly edges: readonly Span[];
};

/**
 * Divides a span into whole days, and ranges of hours before and after them. The figures of all parts can be added up.
 * `daysBefore` is the midnight up to which daily figures exist.
 */
export function wholeDays({ from, to }: Span, daysBefore: number): WholeDays {
  const first = truncateToDay(from + DAY_MS - 1);
  const end = Math.min(truncateToDay(to), daysBefore);
  const days = first < end ? { from: first, to: end } : { from, to: from };
  const edges: Span[] = first < end && from < first ? [{ from, to: first }] : [];
  for (let at = days.to; at < to; at = truncateToDay(at) + DAY_MS)
    edges.push({ from: at, to: Math.min(truncateToDay(at) + DAY_MS, to) });
  return { days, edges };
}
