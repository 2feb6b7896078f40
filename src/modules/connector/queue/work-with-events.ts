import { DatabaseError, type QueryResultRow } from 'pg';
import type { NewEvent } from '../../../kernel/event-store.js';
import { databaseFault, isTransientFault } from '../../../storage/postgres/database-fault.js';
import type { GroupedStatements } from '../../../storage/postgres/grouped-statements.js';
import type { AppendedEvent, LogStatements, Statement } from '../../../storage/postgres/log-statements.js';
import type { DispatchedWork, NewWork, Offer } from './work.js';
import {
  buildLeaseAssignments,
  buildTakeStatement,
  computeStatementName,
  firstInLine,
  LEASED,
  UNGUARDED,
} from './work-statement.js';

const PUT = `
insert into connector_work (work_id, site_id, priority, state, input)
select $1, $2, $3::smallint, 'queued', $4 where (select count(*) from
  (select from connector_work where site_id = $2 and state in ('stored', 'queued') and state <> 'over'
   limit $5::int) w) < $5
on conflict (work_id) do nothing returning 'work-' || work_id as stream`;

const TAKE = `${buildTakeStatement('next')}, case when w.attempt = 1 then 'work-' || w.work_id end as stream`;

const FINISHED = `
update connector_work set state = 'over', offered = $4, outcome = $4, output = $5, digest = $6,
  offered_at = clock_timestamp(), over_at = clock_timestamp(), leased_until = null
where work_id = $1 and site_id = $2 and state = 'leased' and token_id = $3 and attempt = 1
  and offered_at is null and exists (select from connector_tokens where token_id = $3)
returning 'work-' || work_id as stream`;

/** SQL that ends work and assigns the site's next work. If the next work was already assigned once, assigns nothing. */
const NEXT_TAKEN = `
finished as (${FINISHED}), next as (${firstInLine('$2', '$8', ' and work_id <> $1')}), taken as (
  update connector_work w set ${buildLeaseAssignments('$3', '$7')}
  from next where w.work_id = next.work_id and w.attempt = 0 and exists (select from finished)
  returning ${LEASED}
)`;

const FINISH_AND_TAKE = `
select stream, 'work-' || "workId" as next_stream, taken.* from finished left join taken on true`;

/**
 * Changes work in the queue and records the event in one transaction. This requires that the log is in the same
 * PostgreSQL database. If a method can't do this, it changes nothing and reports that. The caller must then change the
 * queue and the log separately, and may have to refuse the request.
 */
export class WorkWithEvents {
  constructor(
    private readonly statements: GroupedStatements,
    private readonly log: LogStatements | null,
  ) {}

  get isPossible(): boolean {
    return this.log !== null;
  }

  /**
   * Tries to add work. Returns whether it was added. Does not add it if the number of the site's waiting invocations is
   * close to `most`. May wait up to `waitMs`, so that one transaction can perform several steps.
   */
  async put(
    { workId, siteId, priority, input }: NewWork,
    most: number,
    queued: NewEvent,
    waitMs = 0,
  ): Promise<boolean> {
    const values = [workId, siteId, priority, input, Math.max(most - UNGUARDED, 0)];
    return (await this.#done({ text: PUT, values }, [at(0, queued)], waitMs))?.length === 1;
  }

  /**
   * Like `WorkQueue.take`, but also records the first attempt in the log. Returns undefined if one transaction can't do
   * both.
   */
  async take(siteId: string, tokenId: string, leaseMs: number, attempts: number, leased: NewEvent) {
    const values = [siteId, tokenId, leaseMs, attempts];
    const rows = await this.#done<DispatchedWork>({ text: TAKE, values }, [at(1, leased)]);
    return rows && (rows[0] ?? null);
  }

  /** Ends work with the result of its first attempt. Returns false if it changed nothing. */
  async finish(offer: Omit<Offer, 'attempt'>, end: NewEvent): Promise<boolean> {
    const { workId, siteId, tokenId, outcome, output, digest } = offer;
    const values = [workId, siteId, tokenId, outcome, output, digest];
    return (await this.#done({ text: FINISHED, values }, [at(2, end)]))?.length === 1;
  }

  /**
   * Ends work with the result of its first attempt, and assigns the site's next work to the token. Returns null if only
   * the first of these was possible: no work is waiting, or the next work was already assigned once. Returns undefined
   * if it changed nothing, for example because the result was already stored.
   */
  async finishAndTake(
    offer: Omit<Offer, 'attempt'>,
    end: NewEvent,
    leaseMs: number,
    attempts: number,
    leased: NewEvent,
  ): Promise<DispatchedWork | null | undefined> {
    const { workId, siteId, tokenId, outcome, output, digest } = offer;
    const values = [workId, siteId, tokenId, outcome, output, digest, leaseMs, attempts];
    const events = [at(2, end), at(1, leased, 'next_stream')];
    const [done] =
      (await this.#done<DispatchedWork>({ before: NEXT_TAKEN, text: FINISH_AND_TAKE, values }, events)) ?? [];
    return done && (done.workId === null ? null : done);
  }

  async #done<Row extends QueryResultRow>(rows: Statement, events: readonly AppendedEvent[], waitMs = 0) {
    if (this.log === null) return undefined;
    const { text, values } = this.log.appendingWith(rows, events);
    try {
      return await this.statements.run<Row>({ name: computeStatementName(text), text, values: [...values] }, waitMs);
    } catch (error) {
      if (isTransientFault(error) || (error instanceof DatabaseError && error.code === GONE_ON)) return undefined;
      throw databaseFault(error);
    }
  }
}

const at = (revision: number, event: NewEvent, stream = 'stream'): AppendedEvent => ({ stream, revision, event });

/** PostgreSQL's error code for a unique violation: the stream already has an event at this revision. */
const GONE_ON = '23505';
