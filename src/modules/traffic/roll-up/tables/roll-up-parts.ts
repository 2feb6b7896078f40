/** What stands for all values of a dimension beyond those that are kept. No path, host or name is written like this. */
export const OTHER = '(other)';

/** Values that are kept of one dimension, the largest: of a site in an hour, and of a site in a day. */
export const VALUES_OF_HOUR = 200;
export const VALUES_OF_DAY = 1_000;

/** A path as it is counted: one that is very long counts as those that begin alike. */
export const PATH = 'left(e.path, 500) collate "C"';

/** Whole hours and days of UTC, whatever the zone of the session. */
export const hourOf = (at: string) => `date_bin('1 hour', ${at}, timestamptz '1970-01-01 00:00:00+00')`;
export const dayOf = (at: string) => `date_bin('1 day', ${at}, timestamptz '1970-01-01 00:00:00+00')`;

/** $1, $2, $3: sites, a day of each, and the first hour of that day which is made again. */
export const CHANGED = `
changed as materialized (
  select site_id collate "C" as site_id, day, since
  from unnest($1::text[], $2::timestamptz[], $3::timestamptz[]) as c (site_id, day, since)
)`;
