import { Resolver } from 'node:dns/promises';
import { isCode } from '../../kernel/faults/error-code.js';

/** The values found, empty if DNS reports that there is no such record, or null if no server responded. */
export type DnsResult<Value> = readonly Value[] | null;

/** A CAA record, which limits the authorities that can issue certificates for a name (RFC 8659). */
export type CaaProperty = { readonly critical: boolean; readonly tag: string; readonly value: string };

/** Timeouts in milliseconds. An unresponsive server is queried twice. */
const PATIENCE = { timeout: 1_500, tries: 2, maxTimeout: 3_000 };

/** Codes for a name that does not exist or has no record of this type. Any other code says nothing about the record. */
const IS_NONE = ['ENODATA', 'ENOTFOUND'];

/** Maximum length of a CNAME chain. Resolvers use a similar limit. */
const MAX_STEPS = 8;

/** Looks up records for one check. Never rejects: a lookup that has no result when `signal` aborts returns null. */
export class DnsLookup {
  readonly #resolver = new Resolver(PATIENCE);

  /** `servers` has the format of `Resolver.setServers`. Null means the system’s servers. */
  constructor(
    servers: readonly string[] | null,
    private readonly signal: AbortSignal,
  ) {
    if (servers !== null) this.#resolver.setServers(servers);
    signal.addEventListener('abort', () => this.#resolver.cancel(), { once: true });
  }

  /** Returns the TXT records of a name, each joined from its parts. */
  txt = (name: string) => this.#ask(async () => (await this.#resolver.resolveTxt(name)).map((parts) => parts.join('')));

  a = (name: string) => this.#ask(() => this.#resolver.resolve4(name));
  aaaa = (name: string) => this.#ask(() => this.#resolver.resolve6(name));

  /** Reports whether the name is the top of a zone, where no CNAME is allowed. */
  isApex = async (name: string) =>
    ((await this.#ask(async () => [await this.#resolver.resolveSoa(name)]))?.length ?? 0) > 0;

  /** Returns null if any record is `issue ""`, because c-ares rejects the whole response as malformed. */
  caa = (name: string): Promise<DnsResult<CaaProperty>> =>
    this.#ask(async () =>
      (await this.#resolver.resolveCaa(name)).map(({ critical, ...property }) => {
        const [tag = '', value] = Object.entries(property).find(([member]) => member !== 'type') ?? [];
        return { critical: critical !== 0, tag: tag.toLowerCase(), value: String(value) };
      }),
    );

  /**
   * Follows the CNAME records of a name, up to the first name for which `isEnd` returns true, and returns the names in
   * order. Stops at a loop.
   */
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
