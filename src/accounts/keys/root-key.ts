import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { createSchema } from '../../storage/postgres/create-schema.js';
import { AuditKeyStore, MasterKeyMismatchError } from './audit-keys.js';
import { computeKeyId, open, seal } from './sealed.js';

const SCHEMA = `
create table if not exists root_key (
  is_only boolean primary key default true check (is_only),
  key_id  text  not null, -- of the current master key; any other key is refused
  sealed  bytea not null  -- with the master key
);
`;

export type KeptRootKey = { readonly key_id: string; readonly sealed: Buffer };

export const createRootKeyTable = (pool: Pool) => createSchema(pool, 'stele root key schema', SCHEMA);

/**
 * Returns the 32-byte key from which signatures and keyed hashes are derived. The key is created once per database and
 * survives a change of the master key. Otherwise, links in sent mails and visitors’ access cookies would become
 * invalid. Throws `MasterKeyMismatchError` if the key was encrypted with another master key.
 */
export async function openRootKey(pool: Pool, masterKey: Buffer): Promise<Buffer> {
  // Only a master key that can decrypt the audit keys may create a root key. Databases of earlier versions have audit
  // keys but no root key.
  await new AuditKeyStore(pool, masterKey).ensureKey();
  await createRootKeyTable(pool);
  const fresh = randomBytes(32).toString('base64');
  await pool.query('insert into root_key (key_id, sealed) values ($1, $2) on conflict do nothing', [
    computeKeyId(masterKey),
    seal('stele root key', masterKey, fresh),
  ]);
  const { rows } = await pool.query<KeptRootKey>('select key_id, sealed from root_key');
  const [row] = rows;
  if (row?.key_id !== computeKeyId(masterKey)) throw new MasterKeyMismatchError();
  return Buffer.from(String(open('stele root key', masterKey, row.sealed)), 'base64');
}
