import { createPrivateKey, generateKeyPairSync, hash, sign } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { type AuditKey, AuditKeys, type Signed } from '../../kernel/ports/audit-keys.js';
import { answerTo } from '../../postgres/database-fault.js';
import { open, seal } from './sealed.js';

const SCHEMA_LOCK = 7_304_002;
export const PURPOSE = 'stele audit key';

const SCHEMA = `
create table if not exists audit_keys (
  key_id text primary key,
  sealed bytea not null -- with the master key: whoever can only write to the database can neither sign nor publish
);
`;

/** What is sealed: a public key, and the private part until it is retired. */
type Kept = { readonly key: AuditKey; readonly d?: string };

/** The master key is not the one that what is in this database was sealed with. */
export class OtherMasterKey extends Error {
  override readonly name = 'OtherMasterKey';

  constructor() {
    super(
      'The keys and values in this database were sealed with another master key.\nStart with that one: set STELE_SECRET_KEY, or put the file master-key of the process that made them into this data folder.\nIf a change of the key was interrupted, finish it: npm run secrets -- rotate',
    );
  }
}

/** Ed25519 keys in PostgreSQL, sealed with the master key, for all processes on one database. */
export class AuditKeysTable extends AuditKeys {
  constructor(
    private readonly pool: Pool,
    private readonly masterKey: Buffer,
  ) {
    super();
  }

  /** Creates the table, and the first key where there is none. Throws `OtherMasterKey`. */
  async start() {
    await this.#alone(async (client, keys) => {
      if (!keys.some(({ d }) => d)) await this.#write(client, fresh());
    });
  }

  /** A new key signs from now on; the private part of the one before is forgotten, its public part stays. */
  async rotate(): Promise<AuditKey> {
    return this.#alone(async (client, keys) => {
      const next = fresh();
      for (const { key, d } of keys) {
        if (d) await this.#write(client, { key: { ...key, retiredAt: next.key.madeAt } });
      }
      await this.#write(client, next);
      return next.key;
    });
  }

  override async sign(text: string): Promise<Signed> {
    const { key, d } = (await this.#read(this.pool)).find((kept) => kept.d) ?? {};
    if (!key || !d) throw new Error('The audit key in force is gone from the database.');
    const { kty, crv, x } = key;
    const privateKey = createPrivateKey({ key: { kty, crv, x, d }, format: 'jwk' });
    return { signature: sign(null, Buffer.from(text, 'utf8'), privateKey).toString('base64url'), key };
  }

  override published = async () => (await this.#read(this.pool)).map(({ key }) => key);

  async #alone<T>(work: (client: PoolClient, keys: readonly Kept[]) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    try {
      await client.query(`begin; select pg_advisory_xact_lock(${SCHEMA_LOCK}); ${SCHEMA}`);
      const result = await work(client, await this.#read(client));
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    } finally {
      client.release();
    }
  }

  /** The newest first. Rows that somebody without the master key has written are nobody's keys, and are left out. */
  async #read(db: Pick<PoolClient, 'query'>): Promise<Kept[]> {
    const { rows } = await answerTo(
      db.query<{ key_id: string; sealed: Buffer }>('select key_id, sealed from audit_keys'),
    );
    const keys = rows.flatMap(({ key_id, sealed }) => this.#opened(sealed).filter(({ key }) => key.kid === key_id));
    if (rows.length > 0 && keys.length === 0) throw new OtherMasterKey();
    return keys.sort((a, b) => (a.key.madeAt < b.key.madeAt ? 1 : -1));
  }

  #opened(sealed: Buffer): Kept[] {
    try {
      return [open(PURPOSE, this.masterKey, sealed) as Kept];
    } catch {
      return [];
    }
  }

  async #write(client: PoolClient, kept: Kept) {
    await client.query(
      'insert into audit_keys values ($1, $2) on conflict (key_id) do update set sealed = excluded.sealed',
      [kept.key.kid, seal(PURPOSE, this.masterKey, kept)],
    );
  }
}

function fresh(): Kept {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const madeAt = new Date().toISOString();
  return { key: { kty: 'OKP', crv: 'Ed25519', x, kid: thumbprint(x), use: 'sig', madeAt, retiredAt: null }, d };
}

/** RFC 7638, with the members that RFC 8037 section 2 names. */
export const thumbprint = (x: string) => hash('sha256', `{"crv":"Ed25519","kty":"OKP","x":"${x}"}`, 'base64url');
