import type { OnSent } from '../../../edge/http/server/first-handler.js';
import type { ServedProgram } from '../../../kernel/ports/served-program.js';
import { apart } from '../content/apart.js';
import { GenerationalCache } from '../content/generational-cache.js';
import type { ServedDomain } from '../sites/domain-index.js';
import type { ServedSite } from '../sites/served-site.js';
import type { ProgramRules } from './program-rules.js';

/** Host on which one server responds to every visitor. Valid as long as its site is the same object. */
export type KnownProgram = {
  readonly domain: ServedDomain | null;
  readonly slug: string | null;
  readonly site: ServedSite;
  readonly program: ServedProgram;
  readonly rules: ProgramRules;
  /** Headers of the service’s own responses in place of the server’s. */
  readonly headers: Readonly<Record<string, string>>;
  readonly onPageSent: OnSent | null;
  readonly onSent: OnSent | null;
};

/** Maximum number of hosts in each of the two generations. */
const HOSTS = 10_000;

/** Remembers recently visited hosts of servers. */
export class KnownPrograms {
  readonly #byHost = new GenerationalCache<KnownProgram>(HOSTS, () => 1);

  at(host: string): KnownProgram | undefined {
    return this.#byHost.get(host);
  }

  keep(host: string, known: KnownProgram) {
    this.#byHost.set(apart(host), known);
  }
}
