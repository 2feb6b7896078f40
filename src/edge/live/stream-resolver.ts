import type { IdentifyCaller } from '../../kernel/command-context.js';
import { refuseInvalid } from '../../kernel/faults/schema-faults.js';
import type { LiveStream } from './live-stream.js';
import type { SourcedStream } from './stream-source.js';

/** Finds the stream behind a name, for one caller; refuses as the route of that stream does. */
export type ResolveStream = (name: string, identify: IdentifyCaller) => Promise<LiveStream | SourcedStream>;

/** The streams that a WebSocket subscribes to by name, `kind:name`. Each module offers those of its own kind. */
export class StreamResolver {
  readonly #kinds = new Map<string, ResolveStream>();

  /** From now on `resolve` finds the streams `{kind}:…`. Throws when the kind is taken. */
  offer(kind: string, resolve: ResolveStream): void {
    if (this.#kinds.has(kind)) throw new Error(`Two modules define streams named ${kind}:….`);
    this.#kinds.set(kind, resolve);
  }

  /** Refuses with `invalid_request` for a kind that no module offers, else as `resolve` does. */
  async find(name: string, identify: IdentifyCaller): Promise<LiveStream | SourcedStream> {
    const colon = name.indexOf(':');
    const resolve = this.#kinds.get(name.slice(0, Math.max(0, colon)));
    if (resolve) return resolve(name.slice(colon + 1), identify);
    const message = `must be one of ${[...this.#kinds.keys()].map((kind) => `${kind}:…`).join(', ')}`;
    return refuseInvalid({ path: 'stream', message });
  }
}
