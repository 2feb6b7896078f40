import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { ProcessRole } from './roles.js';

/** What runs as long as the process does. */
export type Service = {
  readonly name: string;
  /** It runs where the process has one of these; everywhere when there are none. */
  readonly roles?: readonly ProcessRole[];
  /** Resolves when others may rely on it; it goes on until `signal` aborts. */
  start(signal: AbortSignal): Promise<void>;
  /** Called after the signal; resolves when nothing of it goes on. */
  stop?(): Promise<void>;
};

/**
 * Starts the services in order before the process listens, and stops them in the opposite order after it no longer
 * does: each goes on until all that rely on it have stopped.
 */
@Injectable()
export class Lifecycle implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #started: { readonly service: Service; readonly stopping: AbortController }[] = [];

  /** `list` is called when all providers have been created. */
  constructor(
    private readonly has: ReadonlySet<ProcessRole>,
    private readonly list: () => readonly Service[],
  ) {}

  async onApplicationBootstrap() {
    const services = this.list().filter(({ roles }) => !roles || roles.some((role) => this.has.has(role)));
    for (const service of services) {
      const stopping = new AbortController();
      this.#started.unshift({ service, stopping });
      await service.start(stopping.signal);
    }
  }

  async beforeApplicationShutdown() {
    for (const { service, stopping } of this.#started) {
      stopping.abort();
      await service.stop?.();
    }
  }
}
