import pg from 'pg';

const FOLDER_LOCK = 7_303_001;

export class FolderInUse extends Error {
  override readonly name = 'FolderInUse';
}

/**
 * Ensures that only one process at a time uses an embedded database. The lock belongs to a connection, so it ends with
 * the process in any case. Returns a function that releases it. Throws `FolderInUse`, which names the process that
 * holds it.
 */
export async function lockFolder(
  connection: pg.ClientConfig,
  folder: string,
  announce: string,
): Promise<() => Promise<void>> {
  const client = new pg.Client({ ...connection, application_name: `stele ${process.pid} ${announce}`.slice(0, 63) });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [FOLDER_LOCK]);
  if (rows[0]?.taken) return () => client.end();

  const holder = await client.query<{ name: string }>(
    `select application_name as name from pg_stat_activity join pg_locks using (pid)
     where locktype = 'advisory' and objid = $1 and granted`,
    [FOLDER_LOCK],
  );
  await client.end();
  const [, pid = 'unknown', address = ''] = holder.rows[0]?.name.split(' ') ?? [];
  throw new FolderInUse(
    `Stele is already running on ${folder}: process ${pid}${address && `, at ${address}`}.\nUse that one, stop it, or choose another folder: STELE_DATA=./other npm start`,
  );
}
