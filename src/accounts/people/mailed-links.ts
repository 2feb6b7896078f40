import { createHmac, hash, hkdfSync, randomBytes, randomInt } from 'node:crypto';
import type { Pool, QueryConfig, QueryResultRow } from 'pg';
import type { DataSubject, PersonalDataStore } from '../../kernel/ports/personal-data-stores.js';
import { awaitDatabase } from '../../storage/postgres/database-fault.js';
import type { Table } from '../../storage/tables/table.js';
import { open, seal } from '../keys/sealed.js';
import { IS_FREE, reportHeld, SECONDS_LEFT, type Used, workOnce } from './work-once.js';

export type LinkPurpose = 'sign-in' | 'claim' | 'invite';

export type NewLink = {
  readonly purpose: LinkPurpose;
  readonly email: string;
  /** Data for the page that the link opens. It is encrypted, like the email address. */
  readonly about: Readonly<Record<string, string>>;
  /** Hash of a cookie of the browser that requested the link. Null for other clients. */
  readonly browserHash: string | null;
  /** Lifetime of the link, in seconds. */
  readonly seconds: number;
};

export type MailedLink = {
  /**
   * ID of the link. Objects that are created through the link get IDs derived from it, so that repeating the work does
   * not create them twice.
   */
  readonly id: string;
  readonly email: string;
  readonly about: Readonly<Record<string, string>>;
};

const SCHEMA = `
create table if not exists mailed_links (
  secret_hash  text primary key,
  purpose      text not null,
  email_key    text not null,        -- keyed hash of the address; guessing addresses requires the root key
  code_key     text not null,        -- keyed hash of the address and the code
  by_secret    bytea not null,       -- encrypted with the secret in the link
  by_code      bytea not null,       -- encrypted with the address and the code
  revoke_key   text,
  browser_hash text,
  wrong_codes  integer not null default 0,
  expires_at   timestamptz not null
);
create index if not exists mailed_links_of_address on mailed_links (email_key);
create index if not exists mailed_links_over on mailed_links (expires_at);
alter table mailed_links add column if not exists taken_at timestamptz; -- when an attempt began to use the link
alter table mailed_links add column if not exists taken_by text;        -- ID of that attempt
`;

/** Characters used for the codes in mails. Easily confused characters, such as 0 and O, are left out. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_LENGTH = 8;
const MAX_WRONG_CODES = 5;

type LinkRow = { readonly by_secret: Buffer; readonly by_code: Buffer };
type Sealed = Omit<MailedLink, 'id'>;

/**
 * Links sent by mail, each of which can be used once. A caller gets a lease on a link, does its work (such as signing
 * in a user), and then marks the link as used. If the work fails, the link can be used again immediately, or after a
 * minute if the process was killed. Only hashes of links are stored. The email address is encrypted with a secret that
 * only the link contains, so a copy of the database is not enough to sign in or to read an address.
 */
export class MailedLinkStore implements PersonalDataStore {
  readonly #key: Buffer;

  constructor(
    private readonly pool: Pool,
    rootKey: Buffer,
  ) {
    this.#key = Buffer.from(hkdfSync('sha256', rootKey, '', 'stele mailed links', 32));
  }

  /**
   * Creates a link. `secret` is part of the link in the mail. `code` is for users who read the mail on another device.
   */
  async make({
    purpose,
    email,
    about,
    browserHash,
    seconds,
  }: NewLink): Promise<{ readonly secret: string; readonly code: string; readonly expiresAt: string }> {
    const address = email.toLowerCase();
    const secret = randomBytes(24).toString('base64url');
    const code = Array.from({ length: CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
    const link: Sealed = { email: address, about };
    const { rows } = await this.#query<{ expires_at: Date }>(
      `insert into mailed_links
         (secret_hash, purpose, email_key, code_key, by_secret, by_code, revoke_key, browser_hash, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, now() + make_interval(secs => $9)) returning expires_at`,
      [
        hash('sha256', secret),
        purpose,
        this.#keyed(address),
        this.#keyed(`${address}\n${code}`),
        seal('stele mailed link', secret, link),
        seal('stele mailed link', `${address}\n${code}`, link),
        about.revokeKey ?? null,
        browserHash,
        seconds,
      ],
    );
    return { secret, code, expiresAt: (rows[0]?.expires_at ?? new Date()).toISOString() };
  }

  /**
   * Reads a valid link without using it: its content, and the hash that identifies the browser that requested it.
   * Returns null if the link is invalid. A link stays valid while another caller is using it.
   */
  async look(
    purpose: LinkPurpose,
    secret: string,
  ): Promise<(MailedLink & { readonly browserHash: string | null }) | null> {
    const { rows } = await this.#query<Pick<LinkRow, 'by_secret'> & { readonly browser_hash: string | null }>(
      'select browser_hash, by_secret from mailed_links where secret_hash = $1 and purpose = $2 and expires_at > now()',
      [hash('sha256', secret), purpose],
    );
    const [row] = rows;
    return row ? { ...openLink(hash('sha256', secret), secret, row.by_secret), browserHash: row.browser_hash } : null;
  }

  /**
   * Does the work for which a link was sent, and marks the link as used. Of several simultaneous calls, only one does
   * the work; the others get `held`. Returns null if the link is unknown, used or expired. If `work` throws, rethrows
   * the error, and the link stays valid.
   */
  async use<Result>(
    purpose: LinkPurpose,
    secret: string,
    work: (link: MailedLink) => Promise<Result>,
  ): Promise<Used<Result> | null> {
    const id = hash('sha256', secret);
    return this.#once(id, purpose, ({ by_secret }) => work(openLink(id, secret, by_secret)));
  }

  /**
   * Like `use`, but identifies the link by an email address and a code. After five wrong codes for an address, even
   * simultaneous ones, all codes for that address become invalid. The links stay valid.
   */
  async useCode<Result>(
    purpose: LinkPurpose,
    email: string,
    code: string,
    work: (link: MailedLink) => Promise<Result>,
  ): Promise<Used<Result> | null> {
    const address = email.toLowerCase();
    const typed = code.toUpperCase().replace(/[\s-]/g, '');
    const codeKey = this.#keyed(`${address}\n${typed}`);
    // Count the attempt and compare the code in a single statement with a row lock, so that simultaneous attempts
    // cannot exceed the limit. Don't count the correct code, because the client may send it again.
    const { rows: tried } = await this.#query<{ secret_hash: string; is_right: boolean }>(
      `update mailed_links set wrong_codes = wrong_codes + (code_key <> $4)::integer
       where purpose = $1 and email_key = $2 and wrong_codes < $3 and expires_at > now()
       returning secret_hash, code_key = $4 as is_right`,
      [purpose, this.#keyed(address), MAX_WRONG_CODES, codeKey],
    );
    const right = tried.find(({ is_right }) => is_right);
    if (!right) return null;
    const id = right.secret_hash;
    return this.#once(id, purpose, ({ by_code }) => work(openLink(id, `${address}\n${typed}`, by_code)));
  }

  /** Deletes the links that were created with this revocation key, for example when an invite is revoked. */
  async revoke(purpose: LinkPurpose, key: string): Promise<void> {
    await this.#query('delete from mailed_links where purpose = $1 and revoke_key = $2', [purpose, key]);
  }

  async forget({ email }: Pick<DataSubject, 'email'>): Promise<void> {
    await this.#query('delete from mailed_links where email_key = $1', [this.#keyed(email.toLowerCase())]);
  }

  /** Like `use`, but identifies the link by its ID. */
  async #once<Result>(
    id: string,
    purpose: LinkPurpose,
    work: (row: LinkRow) => Promise<Result>,
  ): Promise<Used<Result> | null> {
    const done = await workOnce<LinkRow, Result>(
      {
        take: async (lease) => {
          const { rows } = await this.#query<LinkRow>(
            `update mailed_links set taken_at = now(), taken_by = $3
             where secret_hash = $1 and purpose = $2 and expires_at > now() and ${IS_FREE} returning by_secret, by_code`,
            [id, purpose, lease],
          );
          return rows[0] ?? null;
        },
        giveBack: (lease) =>
          this.#query('update mailed_links set taken_at = null where secret_hash = $1 and taken_by = $2', [id, lease]),
        useUp: (lease) => this.#query('delete from mailed_links where secret_hash = $1 and taken_by = $2', [id, lease]),
      },
      work,
    );
    return done ?? this.#held(id, purpose);
  }

  /** Returns a `held` result if another caller is using the link, or null if the link is no longer valid. */
  async #held(id: string, purpose: LinkPurpose) {
    const { rows } = await this.#query<{ left: number | null }>(
      `select ${SECONDS_LEFT} as left from mailed_links where secret_hash = $1 and purpose = $2 and expires_at > now()`,
      [id, purpose],
    );
    return rows[0] ? reportHeld(rows[0].left) : null;
  }

  #keyed = (text: string) => createHmac('sha256', this.#key).update(text).digest('hex');

  #query<Row extends QueryResultRow>(query: string | QueryConfig, values?: unknown[]) {
    return awaitDatabase(this.pool.query<Row>(query, values));
  }
}

const openLink = (id: string, key: string, sealed: Buffer): MailedLink => ({
  id,
  ...(open('stele mailed link', key, sealed) as Sealed),
});

export const mailedLinksTable: Table<MailedLinkStore> = {
  name: 'mailed links',
  lock: 'stele mailed links schema',
  schema: SCHEMA,
  cleaning: { everyMs: 10 * 60_000, statement: 'delete from mailed_links where expires_at < now()' },
  endLeases: 'update mailed_links set taken_at = null where taken_at is not null',
  access: MailedLinkStore,
  open: ({ pool, rootKey }) => new MailedLinkStore(pool, rootKey),
  keepsPersonalData: true,
};
