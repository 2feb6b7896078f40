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

/** Starts the parts in order before the process listens, and stops them in the opposite order after it has ceased to. */
@Injectable()
export class Lifecycle implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #stopping = new AbortController();
  readonly #started: Part[] = [];

  readonly #parts: readonly Part[];

  constructor(has: ReadonlySet<Role>, parts: readonly Part[]) {
    this.#parts = parts.filter(({ roles }) => !roles || roles.some((role) => has.has(role)));
  }

  async onApplicationBootstrap() {
    for (const part of this.#parts) {
      this.#started.unshift(part);
      await part.start(this.#stopping.signal);
    }
  }

  async beforeApplicationShutdown() {
    this.#stopping.abort();
    for (const part of this.#started) await part.stop?.();
  }
}
