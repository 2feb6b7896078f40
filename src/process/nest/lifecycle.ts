import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Role } from './roles.js';

/** Something that runs as long as the process does. */
export type Part = {
  readonly name: string;
  /** It runs where the process has one of these; everywhere when there are none. */
  readonly roles?: readonly Role[];
  /** Resolves when others may rely on it; goes on until `signal` aborts. */
  start(signal: AbortSignal): Promise<void>;
  /** After the signal: resolves when nothing of it is left. */
  stop?(): Promise<void>;
};

/**
 * Starts the parts in order before the process listens, and stops them in the opposite order after it has ceased to:
 * each goes on until nothing is left of those that rely on it.
 */
@Injectable()
export class Lifecycle implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #started: { readonly part: Part; readonly stopping: AbortController }[] = [];

  readonly #parts: readonly Part[];

  constructor(has: ReadonlySet<Role>, parts: readonly Part[]) {
    this.#parts = parts.filter(({ roles }) => !roles || roles.some((role) => has.has(role)));
  }

  async onApplicationBootstrap() {
    for (const part of this.#parts) {
      const stopping = new AbortController();
      this.#started.unshift({ part, stopping });
      await part.start(stopping.signal);
    }
  }

  async beforeApplicationShutdown() {
    for (const { part, stopping } of this.#started) {
      stopping.abort();
      await part.stop?.();
    }
  }
}
