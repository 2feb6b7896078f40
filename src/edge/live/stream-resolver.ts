import type { IdentifyCaller } from '../../kernel/command-context.js';
import { refuseInvalid } from '../../kernel/faults/schema-faults.js';
import type { LiveStream } from './live-stream.js';
import type { SourcedStream } from './stream-source.js';

/** Finds a stream by name. Refuses for the same reasons as the route of that stream. */
export type ResolveStream = (name: string, identify: IdentifyCaller) => Promise<LiveStream | SourcedStream>;

/** Resolves the names (`kind:name`) to which WebSockets subscribe. Each module registers its own kind. */
export class StreamResolver {
  readonly #kinds = new Map<string, ResolveStream>();

  /** Registers `resolve` for streams named `{kind}:…`. Throws if the kind is already registered. */
  offer(kind: string, resolve: ResolveStream): void {
    if (this.#kinds.has(kind)) throw new Error(`Two modules define streams named ${kind}:….`);
    this.#kinds.set(kind, resolve);
  }

  /**
   * Finds a stream by name. Refuses a name of an unknown kind with `invalid_request`. May also refuse for the same
   * reasons as the kind’s `resolve` function.
   */
  async find(name: string, identify: IdentifyCaller): Promise<LiveStream | SourcedStream> {
    const colon = name.indexOf(':');
    const resolve = this.#kinds.get(name.slice(0, Math.max(0, colon)));
    if (resolve) return resolve(name.slice(colon + 1), identify);
    const message = `must be one of ${[...this.#kinds.keys()].map((kind) => `${kind}:…`).join(', ')}`;
    return refuseInvalid({ path: 'stream', message });
  }
}
