import type { Pool, PoolClient } from 'pg';
import { endedWithConnection } from '../../kernel/faults/ignored-fault.js';
import { createTable } from '../../storage/tables/table.js';
import { formatSecretPlace, vaultTable } from '../vault.js';
import { PURPOSE as AUDIT_KEY, MasterKeyMismatchError } from './audit-keys.js';
import { createRootKeyTable, type KeptRootKey, openRootKey } from './root-key.js';
import { computeKeyId, open, type SealPurposeName, seal } from './sealed.js';

/** Number of rows that are re-encrypted together. */
const PAGE = 200;

/** Maximum time to wait for table locks. After that, the change of the key is aborted. */
const LOCK_WITHIN = '30s';

export type Changed = {
  /** Whether any value was re-encrypted. False if all values already used the new key. */
  readonly isNew: boolean;
  readonly secrets: number;
  readonly auditKeys: number;
  /** Number of values that the old key cannot decrypt. They were not written by this service and stay unchanged. */
  readonly unreadable: number;
};

type MasterKeys = { readonly from: Buffer; readonly to: Buffer };
type SealedSecret = {
  readonly site_id: string;
  readonly name: string;
  readonly version: number;
  readonly sealed: Buffer;
};

/**
 * Re-encrypts all secrets and keys with another master key. Uses a single transaction, so an interrupted change can
 * simply be repeated. The tables are locked until the transaction is committed. Afterwards, a process that still uses
 * the old key cannot store anything. Throws `MasterKeyMismatchError` if neither key can decrypt the root key.
 */
export async function changeMasterKey(pool: Pool, keys: MasterKeys): Promise<Changed> {
  await createRootKeyTable(pool);
  await createTable(pool, vaultTable);
  const client = await pool.connect();
  try {
    const { rows } = await client.query<KeptRootKey>('select key_id, sealed from root_key');
    if (rows.length === 0) await openRootKey(pool, keys.from);
    await client.query(`begin; set local lock_timeout = '${LOCK_WITHIN}'`);
    const changed = await sealAnew(client, keys);
    await client.query('commit');
    return changed;
  } catch (error) {
    await client.query('rollback').catch(endedWithConnection);
    throw error;
  } finally {
    client.release();
  }
}

async function sealAnew(client: PoolClient, { from, to }: MasterKeys): Promise<Changed> {
  await client.query('lock table root_key, audit_keys, vault in access exclusive mode');
  const { rows } = await client.query<KeptRootKey>('select key_id, sealed from root_key');
  const [root] = rows;
  if (root?.key_id === computeKeyId(to)) return { isNew: false, secrets: 0, auditKeys: 0, unreadable: 0 };
  const rootKey = root && resealed('stele root key', { from, to }, root.sealed);
  if (!rootKey) throw new MasterKeyMismatchError();
  await client.query('update root_key set key_id = $1, sealed = $2', [computeKeyId(to), rootKey]);
  const auditKeys = await auditKeysAnew(client, { from, to });
  return { isNew: true, auditKeys, ...(await vaultAnew(client, { from, to })) };
}

async function auditKeysAnew(client: PoolClient, keys: MasterKeys): Promise<number> {
  const { rows } = await client.query<{ key_id: string; sealed: Buffer }>('select key_id, sealed from audit_keys');
  let count = 0;
  for (const { key_id, sealed } of rows) {
    const anew = resealed(AUDIT_KEY, keys, sealed);
    // Not encrypted with the old master key, so leave the row unchanged.
    if (!anew) continue;
    await client.query('update audit_keys set sealed = $2 where key_id = $1', [key_id, anew]);
    count++;
  }
  return count;
}

async function vaultAnew(client: PoolClient, keys: MasterKeys): Promise<Pick<Changed, 'secrets' | 'unreadable'>> {
  let [secrets, unreadable] = [0, 0];
  for (let after: readonly [string, string, number] = ['', '', 0]; ; ) {
    const { rows } = await client.query<SealedSecret>(
      `select site_id, name, version, sealed from vault
       where (site_id, name, version) > ($1, $2, $3) order by site_id, name, version limit ${PAGE}`,
      [...after],
    );
    const last = rows.at(-1);
    if (!last) return { secrets, unreadable };
    after = [last.site_id, last.name, last.version];
    const anew = rows.flatMap((row) => {
      const place = formatSecretPlace(row.site_id, row.name, row.version);
      const sealed = resealed('stele site secret', keys, row.sealed, place);
      return sealed ? [{ ...row, sealed }] : [];
    });
    await client.query(
      `update vault v set key_id = $1, sealed = n.sealed
       from unnest($2::text[], $3::text[], $4::int[], $5::bytea[]) as n(site_id, name, version, sealed)
       where v.site_id = n.site_id and v.name = n.name and v.version = n.version`,
      [
        computeKeyId(keys.to),
        anew.map(({ site_id }) => site_id),
        anew.map(({ name }) => name),
        anew.map(({ version }) => version),
        anew.map(({ sealed }) => sealed),
      ],
    );
    secrets += anew.length;
    unreadable += rows.length - anew.length;
  }
}

/** Re-encrypts a value. Returns null if the old key cannot decrypt it. */
function resealed(purpose: SealPurposeName, { from, to }: MasterKeys, sealed: Buffer, bound = ''): Buffer | null {
  try {
    return seal(purpose, to, open(purpose, from, sealed, bound), bound);
  } catch {
    return null;
  }
}
