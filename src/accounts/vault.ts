import type { Pool, QueryConfig, QueryResultRow } from 'pg';
import { refuse } from '../kernel/refusal.js';
import { awaitDatabase } from '../storage/postgres/database-fault.js';
import type { Table } from '../storage/tables/table.js';
import { computeKeyId, open, seal } from './keys/sealed.js';

export type NewSecret = {
  readonly siteId: string;
  readonly name: string;
  readonly value: string;
  /** Time at which the secret was set (RFC 3339). */
  readonly at: string;
};

export type KeptSecret = {
  readonly name: string;
  readonly version: number;
  /** Time at which the secret was set (RFC 3339). */
  readonly setAt: string;
  /** Milliseconds since the secret was stored. */
  readonly age: number;
};

const SCHEMA = `
create table if not exists vault (
  site_id text collate "C" not null,
  name    text collate "C" not null,
  version integer          not null,
  key_id  text             not null, -- of the master key that encrypted the value
  sealed  bytea            not null, -- bound to site, name and version
  set_at  timestamptz      not null,
  kept_at timestamptz      not null default clock_timestamp(),
  primary key (site_id, name, version)
);
`;

/**
 * SQL that stores a value, but only if the value was encrypted with the current master key. A change of the master key
 * locks the row of `root_key` until everything is re-encrypted, then changes its key ID.
 */
const KEEP = `
insert into vault (site_id, name, version, key_id, sealed, set_at)
select $1, $2, $3, $4, $5, $6 from root_key where key_id = $4 for share
on conflict do nothing`;

const PAGE = 500;

type VaultRow = { readonly name: string; readonly version: number; readonly key_id: string; readonly sealed: Buffer };

/**
 * Identifies the row of a secret. Encryption binds the value to this text, so the value cannot be decrypted in another
 * row.
 */
export const formatSecretPlace = (siteId: string, name: string, version: number) =>
  JSON.stringify([siteId, name, version]);

/**
 * Encrypted values of secrets, stored outside of the log. A site’s events determine which values are active. A value is
 * stored before an event records it, so that recorded values always exist. A sweep deletes values that no event
 * records. Requires the root key’s table, which identifies the active master key.
 */
export class Vault {
  readonly #keyId: string;

  constructor(
    private readonly pool: Pool,
    private readonly masterKey: Buffer,
  ) {
    this.#keyId = computeKeyId(masterKey);
  }

  /**
   * Stores a secret's value durably. Returns its version, which is greater than `after` and any stored version of this
   * name. Simultaneous calls get different versions. Throws `unavailable` if the master key was changed.
   */
  async keep(secret: NewSecret, after: number): Promise<number> {
    for (;;) {
      const { rows } = await this.#query<{ newest: number | null }>(
        'select max(version) as newest from vault where site_id = $1 and name = $2',
        [secret.siteId, secret.name],
      );
      const version = Math.max(after, rows[0]?.newest ?? 0) + 1;
      if (await this.#insert(secret, version)) return version;
    }
  }

  /**
   * Ensures that a recorded version of a secret is stored, even if a sweep deleted it, and deletes earlier versions.
   */
  async settle(secret: NewSecret, version: number): Promise<void> {
    await this.#insert(secret, version);
    await this.#query('delete from vault where site_id = $1 and name = $2 and version < $3', [
      secret.siteId,
      secret.name,
      version,
    ]);
  }

  /**
   * Returns the values of secrets by name, omitting missing ones. Throws `unavailable` if the master key was changed.
   */
  async values(siteId: string, versions: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, string>> {
    const { rows } = await this.#query<VaultRow>(
      `select name, version, key_id, sealed from vault
       where site_id = $1 and (name, version) in (select * from unnest($2::text[], $3::int[]))`,
      [siteId, [...versions.keys()], [...versions.values()]],
    );
    if (rows.some((row) => row.key_id !== this.#keyId)) refuseOldKey();
    return new Map(
      rows.map(({ name, version, sealed }) => {
        return [
          name,
          String(open('stele site secret', this.masterKey, sealed, formatSecretPlace(siteId, name, version))),
        ];
      }),
    );
  }

  async kept(siteId: string): Promise<readonly KeptSecret[]> {
    const { rows } = await this.#query<{ name: string; version: number; set_at: Date; age: number }>(
      `select name, version, set_at, (extract(epoch from clock_timestamp() - kept_at) * 1000)::float8 as age
       from vault where site_id = $1 order by name, version`,
      [siteId],
    );
    return rows.map(({ name, version, set_at, age }) => ({ name, version, setAt: set_at.toISOString(), age }));
  }

  /** Deletes one version of a secret, and also all earlier ones if `andBefore` is true. Idempotent. */
  async forget(siteId: string, name: string, version: number, andBefore: boolean): Promise<void> {
    await this.#query(
      `delete from vault where site_id = $1 and name = $2 and ${andBefore ? 'version <= $3' : 'version = $3'}`,
      [siteId, name, version],
    );
  }

  async forgetSite(siteId: string): Promise<void> {
    await this.#query('delete from vault where site_id = $1', [siteId]);
  }

  /** Yields the sites that have stored secrets, in pages ordered by ID. */
  async *sites(): AsyncIterable<readonly string[]> {
    for (let after = ''; ; ) {
      const { rows } = await this.#query<{ site_id: string }>(
        `select distinct site_id from vault where site_id > $1 order by site_id limit ${PAGE}`,
        [after],
      );
      const last = rows.at(-1);
      if (!last) return;
      yield rows.map(({ site_id }) => site_id);
      after = last.site_id;
    }
  }

  /** Inserts a secret's value. Returns false if this version already exists. */
  async #insert({ siteId, name, value, at }: NewSecret, version: number): Promise<boolean> {
    const sealed = seal('stele site secret', this.masterKey, value, formatSecretPlace(siteId, name, version));
    const { rowCount } = await this.#query(KEEP, [siteId, name, version, this.#keyId, sealed, at]);
    if (rowCount === 1) return true;
    const { rows } = await this.#query<{ key_id: string }>('select key_id from root_key');
    return rows[0]?.key_id === this.#keyId ? false : refuseOldKey();
  }

  #query<Row extends QueryResultRow>(query: string | QueryConfig, values?: unknown[]) {
    return awaitDatabase(this.pool.query<Row>(query, values));
  }
}

function refuseOldKey(): never {
  return refuse('unavailable', 'The master key was changed. Restart this process with the new key.');
}

export const vaultTable: Table<Vault> = {
  name: 'vault',
  lock: 'stele vault schema',
  schema: SCHEMA,
  access: Vault,
  open: ({ pool, masterKey }) => new Vault(pool, masterKey),
};
