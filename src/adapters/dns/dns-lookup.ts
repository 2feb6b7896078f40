import { Resolver } from 'node:dns/promises';
import { isCode } from '../../kernel/faults/error-code.js';

/** What was found, nothing where DNS says that there is no such record; null where no server has said anything. */
export type DnsAnswer<Value> = readonly Value[] | null;

/** Of the authorities that a name’s CAA records are for (RFC 8659). */
export type CaaProperty = { readonly critical: boolean; readonly tag: string; readonly value: string };

/** For a server that does not answer, in milliseconds; it is asked twice. */
const PATIENCE = { timeout: 1_500, tries: 2, maxTimeout: 3_000 };

/** What DNS says when there is no such name, or no record of this kind at it. Anything else says nothing of the record. */
const IS_NONE = ['ENODATA', 'ENOTFOUND'];

/** So many steps a name may take to another; resolvers give up at about as many. */
const MOST_STEPS = 8;

/** Looks up records for one check, never rejecting: what no server knew by the time that `signal` aborts is null. */
export class DnsLookup {
  readonly #resolver = new Resolver(PATIENCE);

  /** `servers` as `Resolver.setServers` takes them; null for those of the system. */
  constructor(
    servers: readonly string[] | null,
    private readonly signal: AbortSignal,
  ) {
    if (servers !== null) this.#resolver.setServers(servers);
    signal.addEventListener('abort', () => this.#resolver.cancel(), { once: true });
  }

  /** Texts at a name, each put together of its parts. */
  txt = (name: string) => this.#ask(async () => (await this.#resolver.resolveTxt(name)).map((parts) => parts.join('')));

  a = (name: string) => this.#ask(() => this.#resolver.resolve4(name));
  aaaa = (name: string) => this.#ask(() => this.#resolver.resolve6(name));

  /** Whether it is the top of a zone, where no CNAME can be. */
  isApex = async (name: string) =>
    ((await this.#ask(async () => [await this.#resolver.resolveSoa(name)]))?.length ?? 0) > 0;

  /** Where one is `issue ""`, nothing is known: c-ares takes the whole answer for a broken one. */
  caa = (name: string): Promise<DnsAnswer<CaaProperty>> =>
    this.#ask(async () =>
      (await this.#resolver.resolveCaa(name)).map(({ critical, ...property }) => {
        const [tag = '', value] = Object.entries(property).find(([member]) => member !== 'type') ?? [];
        return { critical: critical !== 0, tag: tag.toLowerCase(), value: String(value) };
      }),
    );

  /** The names that a name leads to by CNAME, in turn, until one that `isEnd`; without those of a circle. */
  async chain(name: string, isEnd: (name: string) => boolean): Promise<DnsAnswer<string>> {
    const names: string[] = [];
    for (let at = name; names.length < MOST_STEPS; ) {
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

  async #ask<Value>(look: () => Promise<readonly Value[]>): Promise<DnsAnswer<Value>> {
    if (this.signal.aborted) return null;
    try {
      return await look();
    } catch (error) {
      return isCode(error, ...IS_NONE) ? [] : null;
    }
  }
}
