import { setImmediate as nextTurn } from 'node:timers/promises';
import pg, { type ClientConfig, type QueryResultRow } from 'pg';
import { alreadyGone, heardElsewhere } from '../kernel/faults/ignored-fault.js';
import { PATIENCE } from './retry.js';

/** Prepared once, under its name. */
export type NamedStatement = { readonly name: string; readonly text: string; readonly values: unknown[] };

type Asked = {
  readonly statement: NamedStatement;
  readonly resolve: (rows: readonly QueryResultRow[]) => void;
  readonly reject: (reason: unknown) => void;
};

const MOST_IN_GROUP = 50;

/**
 * Statements over one connection of their own, each a step that is done or not: what comes while others are carried out
 * goes together, in one transaction with one sync to disk. It is sent without waiting for answers, as each waking of
 * PostgreSQL costs as much as a short statement. If one of a group fails, each is carried out alone.
 * Plans are made once, and by indexes: to plan such statements costs more than to carry them out.
 */
export class GroupedStatements {
  #asked: Asked[] = [];
  #isScheduled = false;
  #inFlight = 0;
  #client: Promise<pg.Client> | undefined;

  constructor(private readonly config: ClientConfig) {}

  /** The rows that the statement answers, once they are durable. */
  run<Row extends QueryResultRow>(statement: NamedStatement): Promise<readonly Row[]> {
    return new Promise<readonly QueryResultRow[]>((resolve, reject) => {
      this.#asked.push({ statement, resolve, reject });
      this.#schedule();
    }) as Promise<readonly Row[]>;
  }

  /** Ends the connection, once what was sent over it is answered. */
  async close(): Promise<void> {
    const client = await this.#client?.catch(alreadyGone);
    await client?.end();
  }

  /** After this turn of the event loop, so that all of its statements go together. */
  #schedule(): void {
    if (this.#isScheduled || this.#inFlight >= 2 || this.#asked.length === 0) return;
    this.#isScheduled = true;
    void nextTurn().then(() => {
      this.#isScheduled = false;
      const group = this.#asked.splice(0, MOST_IN_GROUP);
      this.#inFlight++;
      void this.#carryOut(group).then(() => {
        this.#inFlight--;
        this.#schedule();
      });
      this.#schedule();
    });
  }

  async #carryOut(group: readonly Asked[]): Promise<void> {
    try {
      this.#client ??= this.#connect();
      const results = await inOneTransaction(await this.#client, group);
      group.forEach(({ resolve }, n) => {
        resolve(results[n]?.rows ?? []);
      });
    } catch (error) {
      // One of them does not get in the way of the others.
      if (error instanceof pg.DatabaseError && group.length > 1) for (const one of group) await this.#carryOut([one]);
      else for (const { reject } of group) reject(error);
    }
  }

  #connect(): Promise<pg.Client> {
    const client = new pg.Client({ ...this.config, keepAlive: true, pipeline: true, query_timeout: PATIENCE });
    const connected = client
      .connect()
      .then(() => client.query("set plan_cache_mode = 'force_generic_plan'; set enable_seqscan = off"))
      .then(() => client);
    const forget = () => {
      if (this.#client === connected) this.#client = undefined;
    };
    client.on('error', forget).once('end', forget);
    connected.catch(() => {
      forget();
      return client.end().catch(alreadyGone);
    });
    return connected;
  }
}

async function inOneTransaction(client: pg.Client, group: readonly Asked[]): Promise<readonly pg.QueryResult[]> {
  const ask = ({ statement }: Asked) => client.query(statement);
  if (group.length === 1) return Promise.all(group.map(ask));
  const sent = [client.query('begin'), ...group.map(ask), client.query('commit')];
  for (const query of sent) query.catch(heardElsewhere);
  return (await Promise.all(sent)).slice(1, -1);
}
