import { hash } from 'node:crypto';

/** This many of the last places are taken only under a lock. Must exceed a service's number of database connections. */
export const UNGUARDED = 200;

const names = new Map<string, string>();

/** A named statement is planned once per connection. Planning these statements costs more than running them. */
export function computeStatementName(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `connector-work-${hash('sha256', text).slice(0, 16)}`;
  names.set(text, name);
  return name;
}

/** Selects new work, and lost work that has attempts left. `also` is an additional condition. */
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
 * Leases the next work of the site `$1` to the token `$2` for `$3` milliseconds, including lost work that has any of
 * `$4` attempts left. The statement ends with its columns, so that others can be appended.
 */
export const buildTakeStatement = (sources: string) => `
with next as (${firstInLine('$1', '$4', ' and exists (select from connector_tokens where token_id = $2)')})
update connector_work w set ${buildLeaseAssignments('$2', '$3')}
from ${sources} where w.work_id = next.work_id
returning ${LEASED}`;
