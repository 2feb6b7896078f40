import { Redis, type RedisOptions } from 'ioredis';
import { BackgroundTask } from '../kernel/background-task.js';
import { heardElsewhere } from '../kernel/ignored-fault.js';
import { ClusterSignal } from '../kernel/ports/cluster-signal.js';

const CHANNEL = 'stele:reached';

const connecting = new BackgroundTask('connect_to_redis');
const connectingToListen = new BackgroundTask('connect_to_redis');
const subscribing = new BackgroundTask('subscribe_in_redis');
const publishing = new BackgroundTask('publish_in_redis');

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

/** Positions for the other processes, sent through a Redis that may be away at any time. */
export class RedisSignal extends ClusterSignal {
  /** For commands. While Redis is away each fails at once, or after 0.2 s. */
  readonly client: Redis;
  readonly #listening: Redis;
  #last = 0n;
  #isPublishing = false;
  #isAway = false;

  constructor(
    url: string,
    /** Called with each position that another process has sent. */
    private readonly onPosition: (position: bigint) => void,
    private readonly log: (line: string) => void,
  ) {
    super();
    this.client = new Redis(url, OPTIONS);
    this.#listening = new Redis(url, { ...OPTIONS, commandTimeout: undefined });
  }

  /** Resolves when Redis answers, and after a second in any case. */
  async start() {
    // Without a listener each failed try would be printed by the library.
    this.client.on('error', connecting.failed).on('ready', connecting.succeeded);
    this.#listening.on('error', connectingToListen.failed).on('ready', connectingToListen.succeeded);
    this.client.on('close', () => this.#wentAway());
    this.client.on('ready', () => this.#cameBack());
    this.#listening.on('message', (_channel, text) => this.onPosition(BigInt(/^\d{1,19}$/.test(text) ? text : 0)));
    this.#listening.on('ready', () => void subscribing.run(() => this.#listening.subscribe(CHANNEL)));
    const connected = [this.client, this.#listening].map((client) => client.connect().catch(heardElsewhere));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, START_WITHIN_MS);
    });
    await Promise.race([Promise.all(connected), late]);
    clearTimeout(timer);
  }

  async stop() {
    this.client.removeAllListeners('close');
    this.client.disconnect();
    this.#listening.disconnect();
  }

  /** One message at a time is under way: of many positions the last is enough. */
  override tell(position: bigint): void {
    if (position > this.#last) this.#last = position;
    if (!this.#isPublishing) void this.#publish();
  }

  override async reachable(): Promise<boolean> {
    return this.client.ping().then(
      () => true,
      () => false,
    );
  }

  async #publish(): Promise<void> {
    this.#isPublishing = true;
    for (let sent = 0n; sent < this.#last; ) {
      sent = this.#last;
      // A position that is lost here is found in the log.
      await publishing.run(() => this.client.publish(CHANNEL, String(sent)));
    }
    this.#isPublishing = false;
  }

  #wentAway() {
    if (this.#isAway) return;
    this.#isAway = true;
    this.log('Redis does not answer: each process counts by itself until it does.');
  }

  #cameBack() {
    if (!this.#isAway) return;
    this.#isAway = false;
    this.log('Redis answers again.');
  }
}
