import { createPrivateKey, generateKeyPairSync, hash, sign } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { endedWithConnection } from '../../kernel/faults/ignored-fault.js';
import { awaitDatabase } from '../../storage/postgres/database-fault.js';
import { createTable, type Table } from '../../storage/tables/table.js';
import { open, seal } from './sealed.js';

/** A public key as published: a JSON Web Key (RFC 7517) for Ed25519 (RFC 8037). */
export type AuditKey = {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  /** The 32 bytes of the public key, in base64url. */
  readonly x: string;
  /** The key's thumbprint (RFC 7638). */
  readonly kid: string;
  readonly use: 'sig';
  readonly madeAt: string;
  /** Time at which the key was replaced by a newer one. Null for the active key. */
  readonly retiredAt: string | null;
};

export type Signed = {
  /** Signature of a text, in base64url. */
  readonly signature: string;
  readonly key: AuditKey;
};

export const PURPOSE = 'stele audit key';

const SCHEMA = `
create table if not exists audit_keys (
  key_id text primary key,
  sealed bytea not null -- with the master key, so that database access is not enough to sign or to publish a key
);
`;

/** The encrypted content of a row: a public key and, until the key is retired, the private part. */
type AuditKeyRow = { readonly key: AuditKey; readonly d?: string };

export class MasterKeyMismatchError extends Error {
  override readonly name = 'MasterKeyMismatchError';

  constructor() {
    super(
      'The secrets in this database were encrypted with a different master key.\nStart with that key: set STELE_SECRET_KEY, or copy the original file master-key into this data folder.\nIf a key change was interrupted, finish it: npm run secrets -- rotate',
    );
  }
}

/**
 * Ed25519 keys that sign checkpoints of the audit trail and provenance statements. All processes share the keys, which
 * are encrypted with the master key.
 */
export class AuditKeyStore {
  constructor(
    private readonly pool: Pool,
    private readonly masterKey: Buffer,
  ) {}

  /**
   * Creates the table and the first signing key if necessary. Throws `MasterKeyMismatchError` if the database was
   * encrypted with another master key.
   */
  async ensureKey(): Promise<void> {
    await this.#locked(async (client, keys) => {
      if (!keys.some(({ d }) => d)) await this.#write(client, fresh());
    });
  }

  /** Creates a new signing key, and deletes the private part of the previous one. */
  async rotate(): Promise<AuditKey> {
    return this.#locked(async (client, keys) => {
      const next = fresh();
      for (const { key, d } of keys) {
        if (d) await this.#write(client, { key: { ...key, retiredAt: next.key.madeAt } });
      }
      await this.#write(client, next);
      return next.key;
    });
  }

  /** Signs the UTF-8 encoding of a string with the active key. */
  async sign(text: string): Promise<Signed> {
    const { key, d } = (await this.#read(this.pool)).find((kept) => kept.d) ?? {};
    if (!key || !d) throw new Error('The active audit key is missing from the database.');
    const { kty, crv, x } = key;
    const privateKey = createPrivateKey({ key: { kty, crv, x, d }, format: 'jwk' });
    return { signature: sign(null, Buffer.from(text, 'utf8'), privateKey).toString('base64url'), key };
  }

  /** Returns all signing keys ever used, newest first, so that old signatures can be verified. */
  async published(): Promise<readonly AuditKey[]> {
    return (await this.#read(this.pool)).map(({ key }) => key);
  }

  /** Runs `work` in a transaction that locks out other processes. Passes the current keys to `work`. */
  async #locked<T>(work: (client: PoolClient, keys: readonly AuditKeyRow[]) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    try {
      await client.query('begin');
      await createTable(client, auditKeysTable);
      const result = await work(client, await this.#read(client));
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback').catch(endedWithConnection);
      throw error;
    } finally {
      client.release();
    }
  }

  /** Reads the signing keys, newest first. Ignores rows that were written without the master key. */
  async #read(db: Pick<PoolClient, 'query'>): Promise<AuditKeyRow[]> {
    const { rows } = await awaitDatabase(
      db.query<{ key_id: string; sealed: Buffer }>('select key_id, sealed from audit_keys'),
    );
    const keys = rows.flatMap(({ key_id, sealed }) => this.#opened(sealed).filter(({ key }) => key.kid === key_id));
    if (rows.length > 0 && keys.length === 0) throw new MasterKeyMismatchError();
    return keys.sort((a, b) => (a.key.madeAt < b.key.madeAt ? 1 : -1));
  }

  #opened(sealed: Buffer): AuditKeyRow[] {
    try {
      return [open(PURPOSE, this.masterKey, sealed) as AuditKeyRow];
    } catch {
      return [];
    }
  }

  async #write(client: PoolClient, kept: AuditKeyRow) {
    await client.query(
      'insert into audit_keys values ($1, $2) on conflict (key_id) do update set sealed = excluded.sealed',
      [kept.key.kid, seal(PURPOSE, this.masterKey, kept)],
    );
  }
}

function fresh(): AuditKeyRow {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const madeAt = new Date().toISOString();
  return { key: { kty: 'OKP', crv: 'Ed25519', x, kid: thumbprint(x), use: 'sig', madeAt, retiredAt: null }, d };
}

/** Computes the thumbprint of a key (RFC 7638) from the members listed in RFC 8037, section 2. */
export const thumbprint = (x: string) => hash('sha256', `{"crv":"Ed25519","kty":"OKP","x":"${x}"}`, 'base64url');

export const auditKeysTable: Table<AuditKeyStore> = {
  name: 'audit keys',
  lock: 7_304_002,
  schema: SCHEMA,
  access: AuditKeyStore,
  open: ({ pool, masterKey }) => new AuditKeyStore(pool, masterKey),
};
