import type { Who } from '../kernel/command-context.js';
import { refuse } from '../kernel/refusal.js';
import type { Watched } from './live-stream.js';

/** Finds the stream behind a name, for whoever asks; refuses as the route of the same stream does. */
export type Resolve = (name: string, who: Who) => Promise<Watched>;

/** The streams that can be asked for by name, `kind:name`. Each module says what its own kind is. */
export class Names {
  readonly #kinds = new Map<string, Resolve>();

  /** From now on `{kind}:…` is found by `resolve`. */
  offer(kind: string, resolve: Resolve): void {
    if (this.#kinds.has(kind)) throw new Error(`Two modules offer streams called ${kind}:….`);
    this.#kinds.set(kind, resolve);
  }

  /** Refuses with `invalid_request` for a kind that nobody offers, else as `resolve` does. */
  async find(name: string, who: Who): Promise<Watched> {
    const colon = name.indexOf(':');
    const resolve = this.#kinds.get(name.slice(0, Math.max(0, colon)));
    if (resolve) return resolve(name.slice(colon + 1), who);
    const message = `is none of ${[...this.#kinds.keys()].map((kind) => `${kind}:…`).join(', ')}`;
    return refuse('invalid_request', `stream: ${message}.`, [{ path: 'stream', message }]);
  }
}
