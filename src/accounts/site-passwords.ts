import { argon2, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Pool } from 'pg';
import { Semaphore } from '../kernel/concurrency/semaphore.js';
import { nfc } from '../kernel/nfc.js';
import { refuse } from '../kernel/refusal.js';
import { awaitDatabase } from '../storage/postgres/database-fault.js';
import type { Table } from '../storage/tables/table.js';

export const PASSWORD_BYTES = 1_024;

const SCHEMA = `
create table if not exists site_passwords (
  password_id text primary key,
  site_id     text not null,
  hash        text not null, -- $argon2id$v=19$m=…,t=…,p=…$salt$hash
  made_at     timestamptz not null default now()
);
create index if not exists site_passwords_of_site on site_passwords (site_id);
`;

/**
 * Cost of hashing a password: OWASP’s second recommendation for Argon2id, which is 19 MiB, two passes, one lane. Takes
 * 40 to 60 ms of CPU time.
 */
const COST = { memory: 19_456, passes: 2, parallelism: 1 } as const;

/** Maximum number of passwords hashed concurrently. libuv has four threads, which also read files. */
const AT_ONCE = 2;
/** Maximum number of waiting hash operations. Further ones are refused. */
const WAITING = 64;

/** A new password is deleted unless an event records it within this time. Commands take far less time. */
const NEW = `interval '10 minutes'`;

type Hashed = { readonly memory: number; readonly passes: number; readonly parallelism: number; readonly salt: Buffer };

const digest = promisify(argon2);

/**
 * Passwords that visitors enter to see a site. They are stored outside of the log, so that they can be erased; events
 * refer to them by ID. Only a hash is stored (Argon2id, RFC 9106). It includes a secret derived from the root key, so a
 * copy of the database is not enough to guess passwords.
 */
export class SitePasswords {
  readonly #secret: Buffer;
  readonly #semaphore = new Semaphore(AT_ONCE, WAITING);

  constructor(
    private readonly pool: Pool,
    rootKey: Buffer,
  ) {
    this.#secret = Buffer.from(hkdfSync('sha256', rootKey, '', 'stele site passwords', 32));
  }

  /** Stores a site's password durably. Throws `unavailable` if too many passwords are being hashed. */
  async keep(passwordId: string, siteId: string, password: string): Promise<void> {
    const salt = randomBytes(16);
    const hash = await this.#hash(password, { ...COST, salt });
    const { memory, passes, parallelism } = COST;
    const text = `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(hash)}`;
    const insert = 'insert into site_passwords (password_id, site_id, hash) values ($1, $2, $3)';
    await awaitDatabase(this.pool.query(insert, [passwordId, siteId, text]));
  }

  /**
   * Reports whether a password is correct and not deleted. Throws `unavailable` if too many passwords are being hashed.
   */
  async isRight(passwordId: string, password: string): Promise<boolean> {
    const select = 'select hash from site_passwords where password_id = $1';
    const { rows } = await awaitDatabase(this.pool.query<{ hash: string }>(select, [passwordId]));
    const kept = rows[0] && parsed(rows[0].hash);
    return kept ? timingSafeEqual(await this.#hash(password, kept), kept.hash) : false;
  }

  async forget(passwordId: string): Promise<void> {
    await awaitDatabase(this.pool.query('delete from site_passwords where password_id = $1', [passwordId]));
  }

  /** Deletes all passwords of the site except the given one and new ones, which an event may be about to record. */
  async forgetOthers(siteId: string, passwordId: string | null): Promise<void> {
    const others = `delete from site_passwords
      where site_id = $1 and password_id is distinct from $2 and made_at < now() - ${NEW}`;
    await awaitDatabase(this.pool.query(others, [siteId, passwordId]));
  }

  async forgetSite(siteId: string): Promise<void> {
    await awaitDatabase(this.pool.query('delete from site_passwords where site_id = $1', [siteId]));
  }

  async #hash(password: string, { salt, memory, passes, parallelism }: Hashed): Promise<Buffer> {
    const message = prepared(password);
    const parameters = { message, nonce: salt, memory, passes, parallelism, tagLength: 32, secret: this.#secret };
    const turn = this.#semaphore.run(() => digest('argon2id', parameters));
    return turn ?? refuse('unavailable', 'Too many passwords are being checked at the moment.');
  }
}

/**
 * Normalizes a password, so that the same characters match on every keyboard (RFC 8265, section 4.2.2). Leaves a string
 * that is not stream-safe unchanged, because no keyboard produces it.
 */
function prepared(password: string): string {
  const text = password.toWellFormed();
  return nfc(text, PASSWORD_BYTES) ?? text;
}

const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/={1,2}$/, '');

function parsed(text: string): (Hashed & { readonly hash: Buffer }) | null {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(text);
  if (!match) return null;
  const [, memory, passes, parallelism, salt = '', hash = ''] = match;
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}

export const sitePasswordsTable: Table<SitePasswords> = {
  name: 'site passwords',
  lock: 'stele site passwords schema',
  schema: SCHEMA,
  access: SitePasswords,
  open: ({ pool, rootKey }) => new SitePasswords(pool, rootKey),
};
