import { createHmac } from 'node:crypto';
import type { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { BackgroundTask } from '../../kernel/background-task.js';
import { RateLimits, type RateStanding } from './rate-limits.js';
import type { Rate } from './rates.js';

/** After Redis did not answer in time, it is not asked for so long: requests do not wait for it one after the other. */
const LEFT_ALONE_MS = 1_000;

const counting = new BackgroundTask('count_rates_in_redis');

/**
 * In place of the library’s script, which counts what it refuses, and begins a window with what is given back. KEYS[1]
 * is the count; ARGV: how many, the window in seconds, the limit. Answers the count, more than the limit for what was
 * not taken, and the milliseconds until the window’s end.
 */
const COUNT = `
local count = tonumber(redis.call('get', KEYS[1]) or '0')
local more = tonumber(ARGV[1])
local ttl = redis.call('pttl', KEYS[1])
if ttl < 0 then ttl = 1000 * ARGV[2] end
if more > 0 and count + more > tonumber(ARGV[3]) then return {count + more, ttl} end
count = count + more
if count <= 0 then
  redis.call('del', KEYS[1])
  return {0, ttl}
end
redis.call('set', KEYS[1], count, 'PX', ttl)
return {count, ttl}
`;

/** Limits that all processes on one Redis share. While it does not answer, those of `own` hold in its place. */
export class RedisRateLimits extends RateLimits {
  override readonly enforced = true;
  readonly #limiters = new Map<string, RateLimiterRedis>();
  #leftAloneUntil = 0;

  constructor(
    private readonly redis: Redis,
    /** So that Redis holds no address: 32 bytes, the same for all processes. */
    private readonly key: Buffer,
    private readonly own: RateLimits,
  ) {
    super();
  }

  override take(rate: Rate, key: string): Promise<RateStanding> {
    return this.#ask(
      async () => {
        try {
          return standing(await this.#limiter(rate).consume(this.#keyed(key)), true);
        } catch (refused) {
          if (refused instanceof RateLimiterRes) return standing(refused, false);
          throw refused;
        }
      },
      () => this.own.take(rate, key),
    );
  }

  override giveBack(rate: Rate, key: string): Promise<RateStanding> {
    return this.#ask(
      async () => standing(await this.#limiter(rate).reward(this.#keyed(key)), true),
      () => this.own.giveBack(rate, key),
    );
  }

  async #ask(shared: () => Promise<RateStanding>, alone: () => Promise<RateStanding>): Promise<RateStanding> {
    if (performance.now() < this.#leftAloneUntil) return alone();
    try {
      const standing = await shared();
      counting.succeeded();
      return standing;
    } catch (error) {
      counting.failed(error);
      // Whatever Redis has: nobody waits for it, and nobody is refused for it.
      if (this.redis.status === 'ready') this.#leftAloneUntil = performance.now() + LEFT_ALONE_MS;
      return alone();
    }
  }

  #keyed = (key: string) => createHmac('sha256', this.key).update(key).digest('base64url');

  #limiter(rate: Rate): RateLimiterRedis {
    const known = this.#limiters.get(rate.name);
    if (known) return known;
    const made = new RateLimiterRedis({
      storeClient: this.redis,
      keyPrefix: `stele:rate:${rate.name}`,
      points: rate.limit,
      duration: rate.seconds,
      rejectIfRedisNotReady: true,
      customIncrTtlLuaScript: COUNT,
    });
    this.#limiters.set(rate.name, made);
    return made;
  }
}

const standing = ({ remainingPoints, msBeforeNext }: RateLimiterRes, taken: boolean): RateStanding => ({
  taken,
  remaining: Math.max(0, remainingPoints),
  resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
});
