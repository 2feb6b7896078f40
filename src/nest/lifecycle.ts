import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { ProcessRole } from './roles.js';

/** A service that runs as long as the process. */
export type Service = {
  readonly name: string;
  /** Roles of the processes in which the service runs. By default, it runs in every process. */
  readonly roles?: readonly ProcessRole[];
  /** Resolves when other services can rely on this service, which then runs until `signal` aborts. */
  start(signal: AbortSignal): Promise<void>;
  /** Called after `signal` has aborted. Resolves when all of the service's work has ended. */
  stop?(): Promise<void>;
};

/** Thrown after a call of `interrupt`, so that the remaining services are not started. */
export class StartInterruptedError extends Error {
  override readonly name = 'StartInterruptedError';

  constructor() {
    super('The start was interrupted.');
  }
}

/**
 * Starts the services in order before the process begins to listen, and stops them in reverse order after it has
 * stopped listening. Each service runs until all those that rely on it have stopped.
 */
@Injectable()
export class Lifecycle implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #started: { readonly service: Service; readonly stopping: AbortController }[] = [];
  #isInterrupted = false;

  /** `list` is called after all providers have been created. */
  constructor(
    private readonly has: ReadonlySet<ProcessRole>,
    private readonly list: () => readonly Service[],
  ) {}

  async onApplicationBootstrap() {
    const services = this.list().filter(({ roles }) => !roles || roles.some((role) => this.has.has(role)));
    for (const service of services) {
      if (this.#isInterrupted) throw new StartInterruptedError();
      const stopping = new AbortController();
      this.#started.unshift({ service, stopping });
      await service.start(stopping.signal);
    }
  }

  /** Aborts the signals of all started services, and starts no further services. */
  interrupt(): void {
    this.#isInterrupted = true;
    for (const { stopping } of this.#started) stopping.abort();
  }

  /** Stops all services, even if one of them fails to stop. Then rejects with the first error, if there was one. */
  async beforeApplicationShutdown() {
    const errors: unknown[] = [];
    for (const { service, stopping } of this.#started) {
      stopping.abort();
      await service.stop?.().catch((error) => errors.push(error));
    }
    if (errors.length > 0) throw errors[0];
  }
}
