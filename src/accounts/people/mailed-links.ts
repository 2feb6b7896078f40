import { createHmac, hash, hkdfSync, randomBytes, randomInt } from 'node:crypto';
import type { Pool, QueryConfig, QueryResultRow } from 'pg';
import type { DataSubject, PersonalDataStore } from '../../kernel/ports/personal-data-stores.js';
import { answerTo } from '../../storage/postgres/database-fault.js';
import type { Table } from '../../storage/tables/table.js';
import { open, seal } from '../keys/sealed.js';
import { heldFor, IS_FREE, SECONDS_LEFT, type Used, workOnce } from './work-once.js';

/** What a mailed link is for: it works for nothing else. */
export type LinkPurpose = 'sign-in' | 'claim' | 'invite';

export type NewLink = {
  readonly purpose: LinkPurpose;
  readonly email: string;
  /** What the page that it opens needs to know; sealed with the link. */
  readonly about: Readonly<Record<string, string>>;
  /** Hash of the cookie of the browser that asked for the link; null where it was no browser. */
  readonly browserHash: string | null;
  /** How long it works. */
  readonly seconds: number;
};

export type MailedLink = {
  /** Does not change when the link is opened again, so that what is made with it is made once. */
  readonly id: string;
  readonly email: string;
  readonly about: Readonly<Record<string, string>>;
};

const SCHEMA = `
create table if not exists mailed_links (
  secret_hash  text primary key,
  purpose      text not null,
  email_key    text not null,        -- keyed hash of the address: only with the root key can addresses be tried
  code_key     text not null,        -- keyed hash of address and code
  by_secret    bytea not null,       -- sealed with the secret in the link
  by_code      bytea not null,       -- sealed with the address and the code
  revoke_key   text,
  browser_hash text,
  wrong_codes  integer not null default 0,
  expires_at   timestamptz not null
);
create index if not exists mailed_links_of_address on mailed_links (email_key);
create index if not exists mailed_links_over on mailed_links (expires_at);
alter table mailed_links add column if not exists taken_at timestamptz; -- by whoever does what it is for
alter table mailed_links add column if not exists taken_by text;        -- the id of that taking
`;

/** Without letters and digits that are mistaken for each other. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_LENGTH = 8;
const MOST_WRONG_CODES = 5;

type LinkRow = { readonly by_secret: Buffer; readonly by_code: Buffer };
/** What is sealed: the address, and what the page needs to know. */
type Sealed = Omit<MailedLink, 'id'>;

/**
 * Links that are sent by mail, each of which works once: it is taken, and used up when the work that it is for is done.
 * Where that fails it can be opened again, at once, or after a minute where the process was killed. Only hashes are kept,
 * and the address is sealed with a secret that only the link has: a copy of the database is not enough to sign in, or to
 * learn an address.
 */
export class MailedLinks implements PersonalDataStore {
  readonly #key: Buffer;

  constructor(
    private readonly pool: Pool,
    rootKey: Buffer,
  ) {
    this.#key = Buffer.from(hkdfSync('sha256', rootKey, '', 'stele mailed links', 32));
  }

  /** Makes a link. `secret` goes into the mail, and `code` for a person who reads it on another device. */
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
   * What a link holds that still works, and which browser asked for it; null for all others. It is not used up. One that
   * a caller has taken is not over yet.
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
   * Does what a link is for and uses it up with that: of any number of calls at once one does, and to the others it is
   * held meanwhile. Null when it is unknown, used or over. Throws what `work` throws; then the link is as it was.
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
   * Uses a link by its address and code, as `use` does. Of the codes for an address five are compared, however many
   * come at once: then all its codes are over, and the links themselves go on working.
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
    // The try is taken before the code is compared, under the lock of its row: of many tries at once five are compared. A
    // right one costs none, as it may have to come again.
    const { rows: tried } = await this.#query<{ secret_hash: string; is_right: boolean }>(
      `update mailed_links set wrong_codes = wrong_codes + (code_key <> $4)::integer
       where purpose = $1 and email_key = $2 and wrong_codes < $3 and expires_at > now()
       returning secret_hash, code_key = $4 as is_right`,
      [purpose, this.#keyed(address), MOST_WRONG_CODES, codeKey],
    );
    const right = tried.find(({ is_right }) => is_right);
    if (!right) return null;
    const id = right.secret_hash;
    return this.#once(id, purpose, ({ by_code }) => work(openLink(id, `${address}\n${typed}`, by_code)));
  }

  /** Ends the links that were made with this key, such as those of an invite that was revoked. */
  async revoke(purpose: LinkPurpose, key: string): Promise<void> {
    await this.#query('delete from mailed_links where purpose = $1 and revoke_key = $2', [purpose, key]);
  }

  /** Ends all links that were sent to the person. */
  async forget({ email }: Pick<DataSubject, 'email'>): Promise<void> {
    await this.#query('delete from mailed_links where email_key = $1', [this.#keyed(email.toLowerCase())]);
  }

  /** Does the work with the link of this id, as `use` does. */
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

  /** That another caller has the link; null where it is over. */
  async #held(id: string, purpose: LinkPurpose) {
    const { rows } = await this.#query<{ left: number | null }>(
      `select ${SECONDS_LEFT} as left from mailed_links where secret_hash = $1 and purpose = $2 and expires_at > now()`,
      [id, purpose],
    );
    return rows[0] ? heldFor(rows[0].left) : null;
  }

  #keyed = (text: string) => createHmac('sha256', this.#key).update(text).digest('hex');

  #query<Row extends QueryResultRow>(query: string | QueryConfig, values?: unknown[]) {
    return answerTo(this.pool.query<Row>(query, values));
  }
}

const openLink = (id: string, key: string, sealed: Buffer): MailedLink => ({
  id,
  ...(open('stele mailed link', key, sealed) as Sealed),
});

export const mailedLinksTable: Table<MailedLinks> = {
  name: 'mailed links',
  lock: 'stele mailed links schema',
  schema: SCHEMA,
  cleaning: { everyMs: 10 * 60_000, statement: 'delete from mailed_links where expires_at < now()' },
  endLeases: 'update mailed_links set taken_at = null where taken_at is not null',
  access: MailedLinks,
  open: ({ pool, rootKey }) => new MailedLinks(pool, rootKey),
  keepsPersonalData: true,
};
