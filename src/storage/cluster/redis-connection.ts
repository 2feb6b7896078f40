import { Redis, type RedisOptions } from 'ioredis';
import { BackgroundTask } from '../../kernel/faults/background-task.js';
import { heardElsewhere } from '../../kernel/faults/ignored-fault.js';
import { RedisHealth } from '../../kernel/ports/outside/redis-health.js';

const connecting = new BackgroundTask('connect_to_redis');

const START_WITHIN_MS = 1_000;
const RETRY_MS = 1_000;

/** Makes Redis commands fail early. By default, they wait for seconds or forever while Redis is unavailable. */
const OPTIONS: RedisOptions = {
  lazyConnect: true,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 1,
  commandTimeout: 200,
  connectTimeout: 1_000,
  retryStrategy: (times) => Math.min(50 * times, RETRY_MS),
  // Reconnects after a READONLY error, which a former primary returns until the client reconnects. The first word of an
  // error message is its code (RESP2, "Simple errors").
  reconnectOnError: (error) => error.message.startsWith('READONLY '),
};

/** A connection to a Redis server that may become unavailable and return at any time. */
export class RedisConnection extends RedisHealth {
  /** Client whose commands fail within 0.2 s while Redis is unavailable. */
  readonly client: Redis;
  #isAway = false;

  constructor(
    url: string,
    private readonly log: (line: string) => void,
  ) {
    super();
    this.client = new Redis(url, OPTIONS);
  }

  /** Resolves when Redis responds, or after one second. */
  async start() {
    // Without an `error` listener, ioredis would print every failed connection attempt.
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

  override async checkReachable(): Promise<boolean> {
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
