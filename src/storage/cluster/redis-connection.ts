import { Redis, type RedisOptions } from 'ioredis';
import { BackgroundTask } from '../../kernel/faults/background-task.js';
import { heardElsewhere } from '../../kernel/faults/ignored-fault.js';
import { RedisHealth } from '../../kernel/ports/outside/redis-health.js';

const connecting = new BackgroundTask('connect_to_redis');

/** How long a start waits for Redis, in milliseconds. */
const START_WITHIN_MS = 1_000;
/** The longest pause between two tries to connect, in milliseconds. */
const RETRY_MS = 1_000;

/**
 * With the library’s own defaults a request waits for seconds while Redis is away, and without end in its offline queue.
 */
const OPTIONS: RedisOptions = {
  lazyConnect: true,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 1,
  commandTimeout: 200,
  connectTimeout: 1_000,
  retryStrategy: (times) => Math.min(50 * times, RETRY_MS),
  // A replica that is no longer the primary says so for as long as the connection lasts. The first word of an error is
  // its code: the protocol (RESP2, “Simple errors”) has no other place for it.
  reconnectOnError: (error) => error.message.startsWith('READONLY '),
};

/** A connection to a Redis that may go away and come back at any time. */
export class RedisConnection extends RedisHealth {
  /** For commands. While Redis is away each fails at once, or after 0.2 s. */
  readonly client: Redis;
  #isAway = false;

  constructor(
    url: string,
    private readonly log: (line: string) => void,
  ) {
    super();
    this.client = new Redis(url, OPTIONS);
  }

  /** Resolves when Redis answers, and after a second in any case. */
  async start() {
    // Without a listener each failed try would be printed by the library.
    this.client.on('error', connecting.failed).on('ready', connecting.succeeded);
    this.client.on('close', () => this.#wentAway());
    this.client.on('ready', () => this.#cameBack());
    const connected = this.client.connect().catch(heardElsewhere);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, START_WITHIN_MS);
    });
    await Promise.race([connected, late]);
    clearTimeout(timer);
  }

  async stop() {
    this.client.removeAllListeners('close');
    this.client.disconnect();
  }

  override async isReachable(): Promise<boolean> {
    return this.client.ping().then(
      () => true,
      () => false,
    );
  }

  #wentAway() {
    if (this.#isAway) return;
    this.#isAway = true;
    this.log('Redis is not responding. Until it does, each process counts requests on its own.');
  }

  #cameBack() {
    if (!this.#isAway) return;
    this.#isAway = false;
    this.log('Redis is responding again.');
  }
}
