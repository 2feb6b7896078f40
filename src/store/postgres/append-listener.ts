import { setTimeout as pause } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { BackgroundTask } from '../../kernel/background-task.js';
import { orAborted } from '../../kernel/concurrency/or-aborted.js';
import { alreadyGone } from '../../kernel/ignored-fault.js';
import { RETRY_PAUSE } from '../../postgres/database-away.js';
import { CHANNEL } from './postgres.schema.js';

const listening = new BackgroundTask('listen_for_appends');

/**
 * Says how far the log has grown: rung by this process's own appends, and through LISTEN by those of others.
 * Whoever waits must also look by himself now and then: a ring may be lost with a connection.
 */
export class AppendListener {
  #heard = 0n;
  #wake: (() => void) | undefined;

  /** The furthest position heard of. Whoever reads the log after hearing it finds everything up to there. */
  get heard(): bigint {
    return this.#heard;
  }

  /** The log has reached `position`. */
  ring(position: bigint): void {
    if (position <= this.#heard) return;
    this.#heard = position;
    this.#wake?.();
  }

  /** Resolves when the log has been heard to reach past `position`, at the latest after `ms` or when `signal` aborts. For one at a time. */
  async wait(position: bigint, ms: number, signal: AbortSignal): Promise<void> {
    if (this.#heard > position) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = setTimeout(resolve, ms);
    await orAborted(promise, signal);
    clearTimeout(timer);
    this.#wake = undefined;
  }

  /** Listens on a connection of its own until `signal` aborts, and connects again whenever that one is lost. */
  async listen(config: ClientConfig, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const client = new Client({ ...config, keepAlive: true, application_name: 'stele doorbell' });
      const ended = new Promise<void>((resolve) => client.once('end', resolve));
      client.on('error', () => undefined); // the end follows
      client.on('notification', ({ payload = '' }) => this.ring(BigInt(/^\d+$/.test(payload) ? payload : 0)));
      try {
        await client.connect();
        await client.query(`listen ${CHANNEL}`);
        listening.succeeded();
        await orAborted(ended, signal);
      } catch (error) {
        if (!signal.aborted) listening.failed(error);
      }
      await client.end().catch(alreadyGone);
      await orAborted(pause(RETRY_PAUSE), signal);
    }
  }
}
