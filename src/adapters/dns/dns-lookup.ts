import { Resolver } from 'node:dns/promises';
import { isCode } from '../../kernel/faults/error-code.js';

/** Values that DNS returned for a record type. Empty if DNS reports no such record, or null if no server responded. */
export type DnsResult<Value> = readonly Value[] | null;

/** A CAA record, which restricts the authorities that can issue certificates for a name (RFC 8659). */
export type CaaProperty = { readonly critical: boolean; readonly tag: string; readonly value: string };

/** Timeouts in milliseconds. A server that does not respond is queried twice. */
const PATIENCE = { timeout: 1_500, tries: 2, maxTimeout: 3_000 };

/** Error codes for a name or record that does not exist. After any other code, it is unknown whether it exists. */
const IS_NONE = ['ENODATA', 'ENOTFOUND'];

/** Maximum length of a CNAME chain. Resolvers have a similar limit. */
const MAX_STEPS = 8;

/** Looks up records for one check. Never rejects. Lookups that are unfinished when `signal` is aborted return null. */
export class DnsLookup {
  readonly #resolver = new Resolver(PATIENCE);

  /** `servers` is in the format of `Resolver.setServers`. Null means the servers of this system. */
  constructor(
    servers: readonly string[] | null,
    private readonly signal: AbortSignal,
  ) {
    if (servers !== null) this.#resolver.setServers(servers);
    signal.addEventListener('abort', () => this.#resolver.cancel(), { once: true });
  }

  /** Returns TXT records, each with its parts joined. */
  txt = (name: string) => this.#ask(async () => (await this.#resolver.resolveTxt(name)).map((parts) => parts.join('')));

  a = (name: string) => this.#ask(() => this.#resolver.resolve4(name));
  aaaa = (name: string) => this.#ask(() => this.#resolver.resolve6(name));

  /** Reports whether a name is the apex of a zone, where no CNAME is allowed. */
  isApex = async (name: string) =>
    ((await this.#ask(async () => [await this.#resolver.resolveSoa(name)]))?.length ?? 0) > 0;

  /** Returns null if any CAA record is `issue ""`, because c-ares rejects the whole response as malformed. */
  caa = (name: string): Promise<DnsResult<CaaProperty>> =>
    this.#ask(async () =>
      (await this.#resolver.resolveCaa(name)).map(({ critical, ...property }) => {
        const [tag = '', value] = Object.entries(property).find(([member]) => member !== 'type') ?? [];
        return { critical: critical !== 0, tag: tag.toLowerCase(), value: String(value) };
      }),
    );

  /** Follows CNAME records until `isEnd` returns true or the records form a loop. Returns the names in order. */
  async chain(name: string, isEnd: (name: string) => boolean): Promise<DnsResult<string>> {
    const names: string[] = [];
    for (let at = name; names.length < MAX_STEPS; ) {
      const answer = await this.#ask(() => this.#resolver.resolveCname(at));
      if (answer === null) return null;
      const next = answer[0]?.toLowerCase().replace(/\.$/, '');
      if (next === undefined || next === name || names.includes(next)) break;
      names.push(next);
      if (isEnd(next)) break;
      at = next;
    }
    return names;
  }

  async #ask<Value>(look: () => Promise<readonly Value[]>): Promise<DnsResult<Value>> {
    if (this.signal.aborted) return null;
    try {
      return await look();
    } catch (error) {
      return isCode(error, ...IS_NONE) ? [] : null;
    }
  }
}
