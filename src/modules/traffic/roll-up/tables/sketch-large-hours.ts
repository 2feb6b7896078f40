import { CHANGED, OTHER, PATH, truncateToHourSql } from './roll-up-parts.js';
import { EXACT, REGISTERS_FOLLOW } from './visitor-sketch.js';

/**
 * SQL for HyperLogLog: the first eleven bits of a visitor's 64-bit hash select the register, and the leading zeros of
 * the remaining bits are counted.
 */
const REGISTER = '((e.visitor >> 53) & 2047)::int';
const RANK = "54 - length(ltrim((e.visitor & 9007199254740991)::bit(53)::text, '0'))";

/**
 * SQL that finds hours without a sketch because they have more visitors than an exact sketch can hold. $1 to $3 have
 * the same meaning as in `CHANGED`.
 */
const LARGE = `
large as materialized (
  select h.site_id, h.at, h.dimension, h.value from changed c
  join traffic_hours h on h.site_id = c.site_id and h.at >= c.since and h.at < c.day + interval '1 day'
  where h.visitors > ${EXACT} and h.sketch is null and h.value <> '${OTHER}'
)`;

export const FIND_LARGE_HOURS = `with ${CHANGED}, ${LARGE} select from large limit 1`;

const VIEWS = `
  join access_entries e on e.site_id = l.site_id and ${truncateToHourSql('e.at')} = l.at
  where e.at >= $4 and e.at < $5 and e.counted and e.client = 'person' and e.is_page and e.visitor is not null`;

/**
 * Computes sketches for hours with many visitors. Parameters $4 and $5: the start of the first day and the end of the
 * last day.
 */
export const SKETCH_LARGE_HOURS = `
with ${CHANGED}, ${LARGE},
ranks as (
  select l.site_id, l.at, l.dimension, l.value, ${REGISTER} as register, max(${RANK}) as rank
  from (select * from large where dimension = 'total') as l ${VIEWS}
  group by 1, 2, 3, 4, 5
  union all
  select l.site_id, l.at, l.dimension, l.value, ${REGISTER}, max(${RANK})
  from (select * from large where dimension = 'page') as l ${VIEWS} and ${PATH} = l.value
  group by 1, 2, 3, 4, 5
),
sketches as (
  select l.site_id, l.at, l.dimension, l.value,
    '\\x0${REGISTERS_FOLLOW}'::bytea || string_agg(set_byte('\\x00'::bytea, 0, coalesce(r.rank, 0)), ''::bytea order by n) as sketch
  from large l cross join generate_series(0, 2047) as n
  left join ranks r on (r.site_id, r.at, r.dimension, r.value, r.register) = (l.site_id, l.at, l.dimension, l.value, n)
  group by 1, 2, 3, 4
)
update traffic_hours h set sketch = s.sketch from sketches s
where (h.site_id, h.at, h.dimension, h.value) = (s.site_id, s.at, s.dimension, s.value)`;
