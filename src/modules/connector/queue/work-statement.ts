import { hash } from 'node:crypto';

/** Room that is filled without asking who else is about to: more than a service has connections to its database. */
export const UNGUARDED = 200;

const names = new Map<string, string>();

/** By name a connection plans a statement once: planning those of work costs more than carrying them out. */
export function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `connector-work-${hash('sha256', text).slice(0, 16)}`;
  names.set(text, name);
  return name;
}

/**
 * What is first in the line of the site: new work, or what was lost unless that was the last of so many attempts. `also`:
 * what else is asked of it.
 */
export const firstInLine = (site: string, attempts: string, also = '') => `
  select work_id from connector_work where site_id = ${site} and state <> 'over'
    and (state = 'queued' or (state = 'leased' and leased_until <= clock_timestamp()
      and offered_at is null and attempt - returned < ${attempts}))${also}
  order by priority desc, sequence limit 1 for update skip locked`;

/** Is set of work that the token is given, for so many milliseconds. */
export const leasedTo = (token: string, ms: string) => `
  state = 'leased', attempt = attempt + 1, token_id = ${token},
  leased_until = clock_timestamp() + ${ms} * interval '1 millisecond'`;

/** As `LeasedWork` has it. */
export const LEASED = 'w.work_id as "workId", w.input, w.attempt, w.leased_until as until';

/**
 * Takes what is first in the line of the site `$1` for the token `$2`, for `$3` milliseconds, also what was lost unless
 * that was the last of `$4` attempts. Ends in a list of columns, to which others may be added.
 */
export const takeFrom = (sources: string) => `
with next as (${firstInLine('$1', '$4', ' and exists (select from connector_tokens where token_id = $2)')})
update connector_work w set ${leasedTo('$2', '$3')}
from ${sources} where w.work_id = next.work_id
returning ${LEASED}`;
