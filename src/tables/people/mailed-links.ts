import { createHmac, hash, hkdfSync, randomBytes, randomInt } from 'node:crypto';
import type { Pool, QueryConfig, QueryResultRow } from 'pg';
import { type LinkPurpose, type MailedLink, MailedLinks, type NewLink } from '../../kernel/ports/mailed-links.js';
import type { Person } from '../../kernel/ports/people.js';
import { answerTo } from '../../postgres/database-fault.js';
import { open, seal } from '../keys/sealed.js';

const SCHEMA = `
select pg_advisory_xact_lock(hashtextextended('stele mailed links schema', 0));
create table if not exists mailed_links (
  secret_hash  text primary key,
  purpose      text not null,
  email_key    text not null,        -- keyed hash of the address: nobody without the root key can try addresses
  code_key     text not null,        -- the same of address and code
  by_secret    bytea not null,       -- sealed with the secret in the link
  by_code      bytea not null,       -- sealed with the address and the code
  revoke_key   text,
  browser_hash text,
  wrong_codes  integer not null default 0,
  expires_at   timestamptz not null
);
create index if not exists mailed_links_of_address on mailed_links (email_key);
create index if not exists mailed_links_over on mailed_links (expires_at);
`;

/** Without letters and digits that are taken for each other. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE_LENGTH = 8;
const MOST_WRONG_CODES = 5;
const FORGET_EVERY_MS = 600_000;

type Found = { readonly by_secret: Buffer; readonly by_code: Buffer };

/** Mailed links in PostgreSQL. */
export class MailedLinksTable extends MailedLinks {
  readonly #key: Buffer;

  constructor(
    private readonly pool: Pool,
    rootKey: Buffer,
  ) {
    super();
    this.#key = Buffer.from(hkdfSync('sha256', rootKey, '', 'stele mailed links', 32));
  }

  /** Creates the table; every ten minutes forgets what is over. */
  async start(signal: AbortSignal) {
    await this.pool.query(SCHEMA);
    const forgetting = setInterval(() => {
      this.pool.query('delete from mailed_links where expires_at < now()').catch(() => undefined);
    }, FORGET_EVERY_MS).unref();
    signal.addEventListener('abort', () => clearInterval(forgetting), { once: true });
  }

  override async make({ purpose, email, about, browserHash, seconds }: NewLink) {
    const address = email.toLowerCase();
    const secret = randomBytes(24).toString('base64url');
    const code = Array.from({ length: CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
    const link: MailedLink = { email: address, about };
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

  override async look(purpose: LinkPurpose, secret: string) {
    const { rows } = await this.#query<Pick<Found, 'by_secret'> & { readonly browser_hash: string | null }>(
      'select browser_hash, by_secret from mailed_links where secret_hash = $1 and purpose = $2 and expires_at > now()',
      [hash('sha256', secret), purpose],
    );
    const [row] = rows;
    if (!row) return null;
    const link = open('stele mailed link', secret, row.by_secret) as MailedLink;
    return { ...link, browserHash: row.browser_hash };
  }

  override async use(purpose: LinkPurpose, secret: string): Promise<MailedLink | null> {
    const { rows } = await this.#query<Found>(
      'delete from mailed_links where secret_hash = $1 and purpose = $2 and expires_at > now() returning by_secret, by_code',
      [hash('sha256', secret), purpose],
    );
    return rows[0] ? (open('stele mailed link', secret, rows[0].by_secret) as MailedLink) : null;
  }

  override async useCode(purpose: LinkPurpose, email: string, code: string): Promise<MailedLink | null> {
    const address = email.toLowerCase();
    const typed = code.toUpperCase().replace(/[\s-]/g, '');
    const { rows } = await this.#query<Found>(
      `delete from mailed_links where purpose = $1 and code_key = $2 and wrong_codes < $3 and expires_at > now()
       returning by_secret, by_code`,
      [purpose, this.#keyed(`${address}\n${typed}`), MOST_WRONG_CODES],
    );
    if (rows[0]) return open('stele mailed link', `${address}\n${typed}`, rows[0].by_code) as MailedLink;
    await this.#query('update mailed_links set wrong_codes = wrong_codes + 1 where purpose = $1 and email_key = $2', [
      purpose,
      this.#keyed(address),
    ]);
    return null;
  }

  override async revoke(purpose: LinkPurpose, key: string): Promise<void> {
    await this.#query('delete from mailed_links where purpose = $1 and revoke_key = $2', [purpose, key]);
  }

  override async forget({ email }: Pick<Person, 'email'>): Promise<void> {
    await this.#query('delete from mailed_links where email_key = $1', [this.#keyed(email.toLowerCase())]);
  }

  #keyed = (text: string) => createHmac('sha256', this.#key).update(text).digest('hex');

  #query<Row extends QueryResultRow>(query: string | QueryConfig, values?: unknown[]) {
    return answerTo(this.pool.query<Row>(query, values));
  }
}
