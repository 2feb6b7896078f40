import { hash } from 'node:crypto';

/**
 * Margin below the limit on waiting invocations. While their number is further below the limit than this, an invocation
 * can be added without a lock. Otherwise, a lock prevents concurrent inserts from exceeding the limit. The margin must
 * be larger than the number of database connections of a service.
 */
export const UNGUARDED = 200;

const names = new Map<string, string>();

/**
 * Returns a name for the statement. PostgreSQL plans a named statement once per connection, and planning these
 * statements takes longer than running them.
 */
export function computeStatementName(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `connector-work-${hash('sha256', text).slice(0, 16)}`;
  names.set(text, name);
  return name;
}

/**
 * SQL that selects the site's next work: new work, or work that an agent lost and that has attempts left. `also` is an
 * additional SQL condition.
 */
export const firstInLine = (site: string, attempts: string, also = '') => `
  select work_id from connector_work where site_id = ${site} and state <> 'over'
    and (state = 'queued' or (state = 'leased' and leased_until <= clock_timestamp()
      and offered_at is null and attempt - returned < ${attempts}))${also}
  order by priority desc, sequence limit 1 for update skip locked`;

export const buildLeaseAssignments = (token: string, ms: string) => `
  state = 'leased', attempt = attempt + 1, token_id = ${token},
  leased_until = clock_timestamp() + ${ms} * interval '1 millisecond'`;

export const LEASED = 'w.work_id as "workId", w.input, w.attempt, w.leased_until as until';

/**
 * SQL that leases the next work of the site `$1` to the token `$2` for `$3` milliseconds. The next work can be work
 * that an agent lost, if fewer than `$4` attempts were made. The statement ends with a list of columns, so that callers
 * can append more.
 */
export const buildTakeStatement = (sources: string) => `
with next as (${firstInLine('$1', '$4', ' and exists (select from connector_tokens where token_id = $2)')})
update connector_work w set ${buildLeaseAssignments('$2', '$3')}
from ${sources} where w.work_id = next.work_id
returning ${LEASED}`;
