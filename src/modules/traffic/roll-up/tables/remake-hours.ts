import { CHANGED, OTHER, PATH, truncateToHourSql, VALUES_OF_HOUR } from './roll-up-parts.js';
import { EXACT, HASHES_FOLLOW } from './visitor-sketch.js';

/** Maximum pause between two pageviews of one visit. After a longer pause, a new visit begins. */
const PAUSE = "interval '30 minutes'";

export const DELETE_HOURS = `
with ${CHANGED}
delete from traffic_hours h using changed c
where h.site_id = c.site_id and h.at >= c.since and h.at < c.day + interval '1 day'`;

/** Dimensions of a visit, whose values are taken from its first pageview. */
const NAMED = 'referrer, country, browser, system, device';
const BY_NAME =
  "lateral (values ('referrer', referrer), ('country', country), ('browser', browser), ('system', system), ('device', device)) as named (dimension, value)";

/**
 * SQL that builds an exact sketch: a list of the hashes of distinct visitors. It is null if there are no visitors or
 * too many.
 */
const sketchOf = (isFirst: string) => `
  case when count(*) filter (where ${isFirst}) between 1 and ${EXACT}
    then '\\x0${HASHES_FOLLOW}'::bytea || string_agg(int8send(visitor), ''::bytea) filter (where ${isFirst}) end`;

/**
 * Computes the hours that have changed. Parameters $4 and $5: the start of the first day and the end of the last day.
 * The pageviews of each visitor on a day are sorted by time. Comparing a pageview with the previous one shows whether
 * it begins a visit, is the visitor's first in this hour, or is the first of this path in the visit. Counts of an hour
 * therefore depend only on earlier entries of the day, never on later ones. Each visitor of a day is a newcomer in
 * exactly one hour, so the newcomers of all hours add up to the visitors of the day.
 */
export const INSERT_HOURS = `
with ${CHANGED},
entries as materialized (
  select e.site_id, c.day, c.since, ${truncateToHourSql('e.at')} as hour, e.at, e.id, e.hits, e.bytes::float8 as bytes, e.status, e.client,
    ${PATH} as path, ${NAMED},
    e.client = 'person' and e.is_page as is_view,
    case when e.client = 'person' and e.is_page then e.visitor end as visitor
  from changed c
  join access_entries e on e.site_id = c.site_id and e.at >= c.day and e.at < c.day + interval '1 day'
  where e.at >= $4 and e.at < $5 and e.counted and e.client <> 'probe'
    and (e.at >= c.since or (e.client = 'person' and e.is_page and e.visitor is not null))
),
paced as (
  select *, lag(at) over visitors as at_before, lag(hour) over visitors as hour_before
  from entries where visitor is not null
  window visitors as (partition by site_id, day, visitor order by at, id)
),
visits as (
  select *, at_before is null or at - at_before > ${PAUSE} as begins,
    count(*) filter (where at_before is null or at - at_before > ${PAUSE}) over visitors as visit
  from paced
  window visitors as (partition by site_id, day, visitor order by at, id)
),
views as materialized (
  select site_id, hour, visitor, path, ${NAMED}, begins, at_before is null as is_new, hour_before is distinct from hour as is_first,
    lag(visit) over pages is distinct from visit as begins_page, lag(visit) over pages is null as is_new_page,
    lag(hour) over pages is distinct from hour as is_first_page, at >= since as is_changed
  from visits
  window pages as (partition by site_id, day, visitor, path order by at, id)
),
changed_views as not materialized (select * from views where is_changed),
changed_entries as not materialized (select * from entries where at >= since),
measured (site_id, hour, dimension, value, hits, pageviews, visits, bytes, visitors, newcomers, sketch) as (
  select site_id, hour, 'total', '', sum(hits), sum(hits) filter (where is_view), 0, sum(bytes), 0, 0, null::bytea
  from changed_entries group by 1, 2
  union all
  select site_id, hour, 'total', '', 0, 0, count(*) filter (where begins), 0, count(*) filter (where is_first),
    count(*) filter (where is_new), ${sketchOf('is_first')}
  from changed_views group by 1, 2
  union all
  select site_id, hour, 'page', path, sum(hits), sum(hits), 0, sum(bytes), 0, 0, null
  from changed_entries where is_view group by 1, 2, 4
  union all
  select site_id, hour, 'page', path, 0, 0, count(*) filter (where begins_page), 0, count(*) filter (where is_first_page),
    count(*) filter (where is_new_page), ${sketchOf('is_first_page')}
  from changed_views group by 1, 2, 4
  union all
  select site_id, hour, 'entry', path, count(*), 0, count(*), 0, 0, 0, null
  from changed_views where begins group by 1, 2, 4
  union all
  select site_id, hour, named.dimension, named.value, sum(hits), sum(hits), 0, sum(bytes), 0, 0, null
  from (
    select site_id, hour, ${NAMED}, sum(hits) as hits, sum(bytes) as bytes
    from changed_entries where is_view group by site_id, hour, ${NAMED}
  ) as alike, ${BY_NAME}
  where named.value is not null group by 1, 2, 3, 4
  union all
  select site_id, hour, named.dimension, named.value, 0, 0, count(*), 0, 0, 0, null
  from changed_views, ${BY_NAME}
  where begins and named.value is not null group by 1, 2, 3, 4
  union all
  select site_id, hour, 'status', status::text, sum(hits), 0, 0, sum(bytes), 0, 0, null
  from changed_entries group by 1, 2, status
  union all
  select site_id, hour, 'missing', path, sum(hits), 0, 0, sum(bytes), 0, 0, null
  from changed_entries where status = 404 and client = 'person' group by 1, 2, 4
  union all
  select site_id, hour, 'client', client, sum(hits), 0, 0, sum(bytes), 0, 0, null
  from changed_entries group by 1, 2, 4
),
summed as (
  select site_id, hour, dimension, value, max(hits) as hits, max(pageviews) as pageviews, max(visits) as visits,
    max(bytes) as bytes, max(visitors) as visitors, max(newcomers) as newcomers, string_agg(sketch, ''::bytea) as sketch
  from measured group by 1, 2, 3, 4
),
ranked as (
  select *, row_number() over (partition by site_id, hour, dimension order by hits desc, value collate "C") > ${VALUES_OF_HOUR} as is_rest
  from summed
)
insert into traffic_hours (site_id, at, dimension, value, hits, pageviews, visits, bytes, visitors, newcomers, sketch)
select site_id, hour, dimension, value, hits, coalesce(pageviews, 0), visits, bytes, visitors, newcomers, sketch
from ranked where not is_rest
union all
select site_id, hour, dimension, '${OTHER}', sum(hits), sum(pageviews), sum(visits), sum(bytes), sum(visitors), sum(newcomers), null
from ranked where is_rest group by 1, 2, 3`;
