/** Value under which the less frequent values of a dimension are combined. No path, host or name looks like it. */
export const OTHER = '(other)';

/**
 * Maximum numbers of values of each dimension, such as paths, that are kept per site for an hour and for a day. The
 * most frequent values are kept.
 */
export const VALUES_OF_HOUR = 200;
export const VALUES_OF_DAY = 1_000;

/** SQL for the path of an entry. Very long paths with the same beginning count as one path. */
export const PATH = 'left(e.path, 500) collate "C"';

/** SQL that truncates a time to its hour or day in UTC, whatever the time zone of the database session is. */
export const truncateToHourSql = (at: string) => `date_bin('1 hour', ${at}, timestamptz '1970-01-01 00:00:00+00')`;
export const truncateToDaySql = (at: string) => `date_bin('1 day', ${at}, timestamptz '1970-01-01 00:00:00+00')`;

/**
 * SQL for the sites and days to recompute. Parameters $1 to $3: sites, a day of each, and the first hour of that day to
 * recompute.
 */
export const CHANGED = `
changed as materialized (
  select site_id collate "C" as site_id, day, since
  from unnest($1::text[], $2::timestamptz[], $3::timestamptz[]) as c (site_id, day, since)
)`;
