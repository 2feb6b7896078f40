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
  /** The rest of the span before and after the whole days: hours of one day each. */
  readonly edges: readonly Span[];
};

/**
 * Divides a span into whole days and the hours around them, whose figures can be added up. Daily figures exist before
 * `daysBefore`, a midnight.
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
