import type { ClientConfig } from 'pg';
import { orAborted } from '../../../kernel/concurrency/or-aborted.js';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { listenOn } from '../../postgres/listen-on.js';
import { CHANNEL } from './postgres.schema.js';

const listening = new BackgroundTask('listen_for_appends');

/**
 * Knows how far the log has grown: from this process's own appends, and through LISTEN from those of others. A reader
 * must poll besides: a notification may be lost with its connection.
 */
export class AppendListener {
  #latest = 0n;
  #wake: (() => void) | undefined;

  /** The furthest position heard of. A read that begins afterwards finds every event up to it. */
  get latest(): bigint {
    return this.#latest;
  }

  /** The log has reached `position`. */
  reached(position: bigint): void {
    if (position <= this.#latest) return;
    this.#latest = position;
    this.#wake?.();
  }

  /**
   * Resolves once the log is known to reach past `position`, after `ms` milliseconds at the latest, or when `signal`
   * aborts. For one waiter at a time.
   */
  async waitPast(position: bigint, ms: number, signal: AbortSignal): Promise<void> {
    if (this.#latest > position) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = setTimeout(resolve, ms);
    await orAborted(promise, signal);
    clearTimeout(timer);
    this.#wake = undefined;
  }

  /** Listens on a connection of its own until `signal` aborts, and connects again whenever that one is lost. */
  async listen(config: ClientConfig, signal: AbortSignal): Promise<void> {
    await listenOn(
      config,
      {
        channel: CHANNEL,
        applicationName: 'stele doorbell',
        task: listening,
        onMessage: (payload) => this.reached(BigInt(/^\d+$/.test(payload) ? payload : 0)),
      },
      signal,
    );
  }
}
