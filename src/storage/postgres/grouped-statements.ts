import { setImmediate as nextTurn } from 'node:timers/promises';
import pg, { type ClientConfig, type QueryResultRow } from 'pg';
import { alreadyGone, heardElsewhere } from '../../kernel/faults/ignored-fault.js';
import { PATIENCE } from './retry.js';
import { carryOutTogether } from './statement-group.js';

/** Prepared once, under its name. */
export type NamedStatement = { readonly name: string; readonly text: string; readonly values: unknown[] };

type PendingStatement = {
  readonly statement: NamedStatement;
  readonly resolve: (rows: readonly QueryResultRow[]) => void;
  readonly reject: (reason: unknown) => void;
};

/** `prepared`: the names of the statements that it was sent with success. */
type Connected = { readonly client: pg.Client; readonly prepared: Set<string> };

const MOST_IN_GROUP = 50;

/**
 * Statements over one connection of their own, each a step that is done or not: what comes while others are carried out
 * goes together, in one transaction with one sync to disk. It is sent without waiting for answers, as each waking of
 * PostgreSQL costs as much as a short statement. If one of a group fails, each is carried out alone.
 * Plans are made once, and by indexes: to plan such statements costs more than to carry them out.
 */
export class GroupedStatements {
  #asked: PendingStatement[] = [];
  /** Whether one of them does not wait for others, or has. */
  #isDue = false;
  #isScheduled = false;
  #inFlight = 0;
  #connected: Promise<Connected> | undefined;

  constructor(private readonly config: ClientConfig) {}

  /**
   * The rows that the statement answers, once they are durable. `waitMs`: how long it may wait for another one to go with,
   * in milliseconds.
   */
  run<Row extends QueryResultRow>(statement: NamedStatement, waitMs = 0): Promise<readonly Row[]> {
    return new Promise<readonly QueryResultRow[]>((resolve, reject) => {
      this.#asked.push({ statement, resolve, reject });
      if (waitMs > 0) setTimeout(this.#due, waitMs);
      else this.#due();
    }) as Promise<readonly Row[]>;
  }

  /** Ends the connection, once what was sent over it is answered. */
  async close(): Promise<void> {
    const connected = await this.#connected?.catch(alreadyGone);
    await connected?.client.end();
  }

  readonly #due = (): void => {
    if (this.#asked.length === 0) return;
    this.#isDue = true;
    this.#schedule();
  };

  /** After this turn of the event loop, so that all of its statements go together. */
  #schedule(): void {
    if (!this.#isDue || this.#isScheduled || this.#inFlight >= 2) return;
    this.#isScheduled = true;
    void nextTurn().then(() => {
      this.#isScheduled = false;
      const group = this.#asked.splice(0, MOST_IN_GROUP);
      this.#isDue = this.#asked.length > 0;
      this.#inFlight++;
      void this.#carryOut(group).then(() => {
        this.#inFlight--;
        this.#schedule();
      });
      this.#schedule();
    });
  }

  async #carryOut(group: readonly PendingStatement[]): Promise<void> {
    this.#connected ??= this.#connect();
    const connected = this.#connected;
    try {
      const results = await inOneTransaction(await connected, group);
      group.forEach(({ resolve }, n) => {
        resolve(results[n]?.rows ?? []);
      });
    } catch (error) {
      // Whatever comes next is not to be sent over it: its end may be heard of later than this.
      if (isLost(error)) this.#forget(connected);
      // One of them does not get in the way of the others.
      else if (group.length > 1) {
        for (const one of group) await this.#carryOut([one]);
        return;
      }
      for (const { reject } of group) reject(error);
    }
  }

  #connect(): Promise<Connected> {
    const client = new pg.Client({ ...this.config, keepAlive: true, pipeline: true, query_timeout: PATIENCE });
    const connected = client
      .connect()
      .then(() => client.query("set plan_cache_mode = 'force_generic_plan'; set enable_seqscan = off"))
      .then(() => ({ client, prepared: new Set<string>() }));
    const forget = () => this.#forget(connected);
    client.on('error', forget).once('end', forget);
    connected.catch(() => client.end().catch(alreadyGone));
    return connected;
  }

  #forget(connected: Promise<Connected>): void {
    if (this.#connected !== connected) return;
    this.#connected = undefined;
    void connected.then(({ client }) => client.end()).catch(alreadyGone);
  }
}

/** What ends a connection: PostgreSQL says so (SQLSTATE classes 08 and 57P0x), or there is no word of it. */
const isLost = (error: unknown): boolean => !(error instanceof pg.DatabaseError) || /^(08|57P0)/.test(error.code ?? '');

async function inOneTransaction(
  { client, prepared }: Connected,
  group: readonly PendingStatement[],
): Promise<readonly pg.QueryResult[]> {
  const statements = group.map(({ statement }) => statement);
  if (statements.every(({ name }) => prepared.has(name))) return carryOutTogether(client, statements);
  const results = await preparing(client, statements);
  for (const { name } of statements) prepared.add(name);
  return results;
}

async function preparing(client: pg.Client, statements: readonly NamedStatement[]): Promise<readonly pg.QueryResult[]> {
  const ask = (statement: NamedStatement) => client.query(statement);
  if (statements.length === 1) return Promise.all(statements.map(ask));
  const sent = [client.query('begin'), ...statements.map(ask), client.query('commit')];
  for (const query of sent) query.catch(heardElsewhere);
  return (await Promise.all(sent)).slice(1, -1);
}
