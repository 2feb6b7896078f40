import type { ClientConfig } from 'pg';
import { orAborted } from '../../../kernel/concurrency/or-aborted.js';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { listenToChannel } from '../../postgres/listen-on.js';
import { CHANNEL } from './postgres.schema.js';

const listening = new BackgroundTask('listen_for_appends');

/**
 * Tracks how far the log has grown. Learns of this process’s own appends directly, and of all others by LISTEN. Readers
 * must also poll, because notifications are lost while the connection is down.
 */
export class AppendListener {
  #latest = 0n;
  #wake: (() => void) | undefined;

  /** The highest known position. A read that starts later finds all events up to it. */
  get latest(): bigint {
    return this.#latest;
  }

  reached(position: bigint): void {
    if (position <= this.#latest) return;
    this.#latest = position;
    this.#wake?.();
  }

  /**
   * Resolves when the log extends beyond `position`, or after `ms` milliseconds. Only one caller can wait at a time.
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

  /** Listens on a separate connection until `signal` aborts, and reconnects if the connection is lost. */
  async listen(config: ClientConfig, signal: AbortSignal): Promise<void> {
    await listenToChannel(
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
