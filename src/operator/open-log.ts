import { hash } from 'node:crypto';
import pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { openDatabase } from '../storage/postgres/open-database.js';
import { KurrentLog } from '../storage/store/kurrent/kurrent.log.js';
import { PostgresLog } from '../storage/store/postgres/postgres.log.js';
import type { WholeLog } from '../storage/store/whole-log.js';

export class UnknownPlace extends Error {
  override readonly name = 'UnknownPlace';
}

type LogOptions = {
  readonly dataFolder: string;
  /** Whether a service may be running on the data folder at the same time. */
  readonly beside: boolean;
  readonly say: (message: string) => void;
};

/**
 * Opens the log at a `postgres://…`, `esdb://…` or `kurrentdb://…` URL, or, for `embedded`, the one in the data folder.
 * Throws `UnknownPlace`, whose message omits the address because it may contain a password.
 */
export async function openLog(address: string, { dataFolder, beside, say }: LogOptions): Promise<WholeLog> {
  if (address === 'embedded') {
    const announce = 'npm run events';
    const database = await openDatabase({ url: null, dataFolder, announce, ...(beside && { beside }), log: say });
    return new PostgresLog(database.pool, database.description, () => database.close());
  }
  if (/^postgres(ql)?:\/\//.test(address)) {
    const connection = parseIntoClientConfig(address);
    const pool = new pg.Pool({
      ...connection,
      max: 2,
      connectionTimeoutMillis: 5_000,
      application_name: 'stele events',
    });
    pool.on('error', () => undefined); // the next query opens a new connection
    const place = `${connection.host ?? 'localhost'}:${connection.port ?? 5432}/${connection.database ?? ''}`;
    return new PostgresLog(pool, `PostgreSQL at ${place}`, () => pool.end());
  }
  if (/^(esdb|kurrentdb)(\+discover)?:\/\//.test(address))
    return new KurrentLog(address, (text) => hash('sha256', text));
  throw new UnknownPlace(
    'Use a postgres://…, esdb://… or kurrentdb://… URL, or “embedded” for the database in STELE_DATA.',
  );
}
