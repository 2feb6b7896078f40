import { Client } from 'pg';
import type { Test } from 'supertest';
import { readFiles } from '../content/changing-folder.js';
import type { Requests, Stele } from '../service/stele.js';
import type { MailServer } from './mail-server.js';

type Kind = 'address' | 'secret';
/** A value issued to a single user. Reports of a leak contain its name instead of the value. */
type Issued = { readonly kind: Kind; readonly name: string; readonly forms: readonly string[] };

export type Leak = { readonly what: string; readonly where: string };

/** The only columns that may contain email addresses. */
const KEEPS_ADDRESSES = new Set(['table people.email', 'table waitlist.email', 'table invites.email']);

/** Files of the embedded database, whose tables are searched by SQL instead. */
const DATABASE_FILES = /^postgres\/data\/(base|pg_wal|global)\//;

/**
 * Collects the tokens, cookies, links, codes and addresses that a service issues in responses and mails. Then searches
 * for them in everything that the service stores or prints.
 */
export class LeakDetector {
  readonly #issued = new Map<string, Issued>();
  readonly #forgotten = new Set<string>();

  /** Adds a caller's own value that must remain private, such as an idempotency key. */
  secret(name: string, value: string) {
    this.#add('secret', name, [value]);
    return value;
  }

  address(email: string) {
    const lower = email.toLowerCase();
    this.#add('address', email, [
      lower,
      encodeURIComponent(lower),
      Buffer.from(lower).toString('base64').replace(/=+$/, ''),
    ]);
    return email;
  }

  /** Adds an address that must no longer be in any table. */
  forgotten(email: string) {
    this.#forgotten.add(this.address(email));
  }

  get count() {
    return this.#issued.size;
  }

  /** Wraps requests so that their responses are scanned for tokens and cookies. */
  watching(requests: Requests): Requests {
    const watched = Object.entries(requests).map(([method, ask]) => [
      method,
      (path: string) => this.#heed(ask(path), path),
    ]);
    return Object.fromEntries(watched) as Requests;
  }

  /** Adds the links, codes and addresses of all mails so far. */
  read({ mails }: MailServer) {
    for (const { recipients, subject = '', text = '' } of mails) {
      for (const address of recipients) this.address(address);
      for (const [link] of text.matchAll(/https?:\/\/\S+/g)) this.#link(`link in “${subject.slice(0, 20)}”`, link);
      for (const [code] of text.matchAll(/\b[0-9A-Z]{4}-[0-9A-Z]{4}\b/g))
        this.#add('secret', 'code in a mail', [code, code.replace('-', '')]);
    }
  }

  async leaks(stele: Stele): Promise<Leak[]> {
    return [
      ...(await this.#inTables(stele)),
      ...this.#in('the log', JSON.stringify(await stele.log())),
      ...this.#in('printed', stele.printed()),
      ...(await this.#inFiles(stele)),
    ];
  }

  #heed(test: Test, path: string): Test {
    return test.on('response', ({ text = '', headers }: { text?: string; headers: Record<string, unknown> }) => {
      for (const [token] of `${text}${JSON.stringify(headers)}`.matchAll(/stele_[a-z]+_([0-9A-Za-z]{49})/g))
        this.#add('secret', `token of ${path.split('?')[0]}`, [token, token.slice(-49)]);
      for (const cookie of [headers['set-cookie'] ?? []].flat()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(String(cookie)) ?? [];
        if (value.length >= 16) this.#add('secret', `cookie ${name}`, [value]);
      }
    });
  }

  #link(name: string, link: string) {
    const token = new URL(link).searchParams.get('token') ?? new URL(link).hash.slice(1);
    if (token === '') return;
    const [, payload = '', signature] = token.split('.');
    const { id }: { id?: string } = signature ? JSON.parse(Buffer.from(payload, 'base64url').toString()) : {};
    this.#add('secret', name, [token, ...(signature ? [signature, payload] : []), ...(id ? [id] : [])]);
  }

  #add(kind: Kind, name: string, forms: readonly string[]) {
    this.#issued.set(`${kind} ${forms[0]}`, { kind, name, forms });
  }

  #in(where: string, content: string | Buffer): Leak[] {
    const text = typeof content === 'string' ? content : content.toString('latin1');
    const lower = text.toLowerCase();
    return [...this.#issued.values()].flatMap(({ kind, name, forms }) => {
      const isKept = KEEPS_ADDRESSES.has(where) && !this.#forgotten.has(name);
      if (kind === 'address' && (isKept || DATABASE_FILES.test(where.replace(/^file /, '')))) return [];
      const isThere = forms.some((form) => text.includes(form) || (kind === 'address' && lower.includes(form)));
      return isThere ? [{ what: name, where }] : [];
    });
  }

  async #inTables({ database }: Stele): Promise<Leak[]> {
    const client = new Client(database);
    await client.connect();
    try {
      const { rows: tables } = await client.query<{ name: string; label: string }>(
        `select format('%I.%I', schemaname, tablename) as name, tablename as label from pg_tables
         where schemaname not in ('pg_catalog', 'information_schema')`,
      );
      const leaks: Leak[] = [];
      for (const { name, label } of tables) {
        const { rows } = await client.query<Record<string, unknown>>(`select * from ${name}`);
        for (const row of rows)
          for (const [column, value] of Object.entries(row))
            leaks.push(...this.#in(`table ${label}.${column}`, written(value)));
      }
      return unique(leaks);
    } finally {
      await client.end();
    }
  }

  /** Searches all files except the outbox, which contains mail. */
  async #inFiles({ folder }: Stele): Promise<Leak[]> {
    const leaks: Leak[] = [];
    for await (const { path, content } of readFiles(folder, (each) => !each.startsWith('outbox')))
      leaks.push(...this.#in(`file ${path}`, content));
    return leaks;
  }
}

/** Converts a column's value to searchable text. Binary values stay unchanged. */
function written(value: unknown): string | Buffer {
  if (Buffer.isBuffer(value) || typeof value === 'string') return value;
  return value === null ? '' : JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each));
}

const unique = (leaks: readonly Leak[]): Leak[] => [
  ...new Map(leaks.map((leak) => [`${leak.what}\n${leak.where}`, leak])).values(),
];
