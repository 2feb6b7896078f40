import { setImmediate as nextTurn } from 'node:timers/promises';
import pg, { type Client, type ClientConfig, type Connection, type QueryResult, type QueryResultRow } from 'pg';
import { alreadyGone, heardElsewhere } from '../../kernel/faults/ignored-fault.js';
import { PATIENCE_MS } from './retry.js';

type PreparedStatement = { readonly name: string; readonly values: readonly unknown[] };

/**
 * Executes prepared statements as one transaction: they are sent together with a single `Sync`, which commits the
 * transaction that PostgreSQL starts implicitly. PostgreSQL wakes up once and responds once.
 */
function carryOutTogether(client: Client, statements: readonly PreparedStatement[]): Promise<readonly QueryResult[]> {
  return new Promise((resolve, reject) => {
    const answered = (error: Error | null | undefined, results?: QueryResult | readonly QueryResult[]) => {
      if (error) reject(error);
      else resolve(results === undefined ? [] : [results].flat());
    };
    client.query(new StatementGroup(statements, answered));
  });
}

class StatementGroup extends pg.Query {
  constructor(
    statements: readonly PreparedStatement[],
    answered: (error: Error | undefined, results: QueryResult) => void,
  ) {
    super({ text: '' }, answered);
    this.submit = (connection) => submit(connection, statements);
  }
}

function submit(connection: Connection, statements: readonly PreparedStatement[]): null {
  connection.stream.cork();
  try {
    for (const { name, values } of statements) {
      connection.bind({ statement: name, values: values.map(textOf) }, true);
      connection.describe({ type: 'P' }, true);
      connection.execute(null, true);
    }
    connection.sync();
  } finally {
    connection.stream.uncork();
  }
  return null;
}

const textOf = (value: unknown) => (value === null ? null : String(value));

/** A statement that is prepared under its name, once per connection. */
export type NamedStatement = { readonly name: string; readonly text: string; readonly values: unknown[] };

type PendingStatement = {
  readonly statement: NamedStatement;
  readonly resolve: (rows: readonly QueryResultRow[]) => void;
  readonly reject: (reason: unknown) => void;
};

/** `prepared` contains the names of statements that have succeeded on this connection. */
type Connected = { readonly client: pg.Client; readonly prepared: Set<string> };

const MAX_GROUP_SIZE = 50;

/**
 * Runs statements in groups on a separate connection. Statements that arrive while others are running become one
 * transaction with one sync to disk, so each statement must be a complete operation. If a statement fails, the
 * statements of its group are executed one by one. A group is sent without waiting for earlier responses, because
 * waking PostgreSQL costs as much as a short statement. Plans are generic, because planning costs more than execution.
 */
export class GroupedStatements {
  #asked: PendingStatement[] = [];
  /** True if the pending statements should be sent as soon as possible, without waiting for others. */
  #isDue = false;
  #isScheduled = false;
  #inFlight = 0;
  #connected: Promise<Connected> | undefined;

  constructor(private readonly config: ClientConfig) {}

  /** Resolves to the rows once changes are durable. Waits up to `waitMs` for other statements to join the group. */
  run<Row extends QueryResultRow>(statement: NamedStatement, waitMs = 0): Promise<readonly Row[]> {
    return new Promise<readonly QueryResultRow[]>((resolve, reject) => {
      this.#asked.push({ statement, resolve, reject });
      if (waitMs > 0) setTimeout(this.#due, waitMs);
      else this.#due();
    }) as Promise<readonly Row[]>;
  }

  async close(): Promise<void> {
    const connected = await this.#connected?.catch(alreadyGone);
    await connected?.client.end();
  }

  readonly #due = (): void => {
    if (this.#asked.length === 0) return;
    this.#isDue = true;
    this.#schedule();
  };

  /** Sends all statements of the current event loop iteration as one group when the iteration ends. */
  #schedule(): void {
    if (!this.#isDue || this.#isScheduled || this.#inFlight >= 2) return;
    this.#isScheduled = true;
    void nextTurn().then(() => {
      this.#isScheduled = false;
      const group = this.#asked.splice(0, MAX_GROUP_SIZE);
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
      // A failed statement can reveal a lost connection before the `end` event does.
      if (isLost(error)) this.#forget(connected);
      // A failing statement must not affect the others in its group.
      else if (group.length > 1) {
        for (const one of group) await this.#carryOut([one]);
        return;
      }
      for (const { reject } of group) reject(error);
    }
  }

  #connect(): Promise<Connected> {
    const client = new pg.Client({ ...this.config, keepAlive: true, pipeline: true, query_timeout: PATIENCE_MS });
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

/**
 * Reports whether an error ends the connection: it has SQLSTATE class 08 or 57P0x, or does not come from PostgreSQL.
 */
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
