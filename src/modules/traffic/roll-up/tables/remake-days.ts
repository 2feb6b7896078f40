import { dayOf, OTHER, VALUES_OF_DAY } from './roll-up-parts.js';

/** $1 and $2: sites, and a day of each. */
const CHANGED_DAYS = `
changed as materialized (
  select site_id collate "C" as site_id, day from unnest($1::text[], $2::timestamptz[]) as c (site_id, day)
)`;

/** $1 and $2: the first day, and the day after the last. */
const ENDED_DAYS = `
changed as materialized (
  select distinct site_id, ${dayOf('at')} as day from traffic_hours where at >= $1 and at < $2
)`;

export const DELETE_DAYS = `
with ${CHANGED_DAYS}
delete from traffic_days d using changed c where d.site_id = c.site_id and d.at = c.day`;

/** Computes days from all of their hours. */
const insertDays = (changed: string) => `
with ${changed},
summed as (
  select h.site_id, c.day, h.dimension, h.value, sum(h.hits::float8) as hits, sum(h.pageviews::float8) as pageviews,
    sum(h.visits::float8) as visits, sum(h.bytes::float8) as bytes, sum(h.newcomers::float8) as visitors
  from changed c join traffic_hours h on h.site_id = c.site_id and h.at >= c.day and h.at < c.day + interval '1 day'
  group by 1, 2, 3, 4
),
ranked as (
  select *, value = '${OTHER}' or row_number() over (
    partition by site_id, day, dimension order by value = '${OTHER}', hits desc, value
  ) > ${VALUES_OF_DAY} as is_rest
  from summed
)
insert into traffic_days (site_id, at, dimension, value, hits, pageviews, visits, bytes, visitors)
select site_id, day, dimension, value, hits, pageviews, visits, bytes, visitors from ranked where not is_rest
union all
select site_id, day, dimension, '${OTHER}', sum(hits), sum(pageviews), sum(visits), sum(bytes), sum(visitors)
from ranked where is_rest group by 1, 2, 3`;

export const INSERT_CHANGED_DAYS = insertDays(CHANGED_DAYS);
export const INSERT_ENDED_DAYS = insertDays(ENDED_DAYS);
