import { createHmac } from 'node:crypto';
import type { Redis } from 'ioredis';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { BackgroundTask } from '../../../kernel/faults/background-task.js';
import { RateLimits, type RateStanding } from './rate-limits.js';
import type { Rate } from './rates.js';

/** How long Redis is bypassed after a timeout, so that requests do not wait for it one after another. */
const BYPASS_MS = 1_000;

const counting = new BackgroundTask('count_rates_in_redis');

/**
 * Replaces the library’s script, which counts refused requests and lets `giveBack` start a window. KEYS[1] is the
 * count. ARGV contains the amount (negative to give back), the window in seconds, and the limit. Returns the count
 * (above the limit if nothing was taken) and the remaining milliseconds of the window.
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

/** All processes share these limits through one Redis server. While Redis does not respond, `fallback` applies. */
export class RedisRateLimits extends RateLimits {
  override readonly enforced = true;
  readonly #limiters = new Map<string, RateLimiterRedis>();
  #bypassedUntil = 0;

  constructor(
    private readonly redis: Redis,
    /**
     * 32-byte key for hashing rate limit keys, so that Redis stores no addresses. Must be the same in all processes.
     */
    private readonly key: Buffer,
    private readonly fallback: RateLimits,
  ) {
    super();
  }

  override take(rate: Rate, key: string, amount = 1): Promise<RateStanding> {
    return this.#withFallback(
      async () => {
        try {
          return standing(await this.#limiter(rate).consume(this.#keyed(key), amount), true);
        } catch (refused) {
          if (refused instanceof RateLimiterRes) return standing(refused, false);
          throw refused;
        }
      },
      () => this.fallback.take(rate, key, amount),
    );
  }

  override giveBack(rate: Rate, key: string): Promise<RateStanding> {
    return this.#withFallback(
      async () => standing(await this.#limiter(rate).reward(this.#keyed(key)), true),
      () => this.fallback.giveBack(rate, key),
    );
  }

  async #withFallback(shared: () => Promise<RateStanding>, local: () => Promise<RateStanding>): Promise<RateStanding> {
    if (performance.now() < this.#bypassedUntil) return local();
    try {
      const standing = await shared();
      counting.succeeded();
      return standing;
    } catch (error) {
      counting.failed(error);
      // Use the local limits, so that a Redis error neither delays nor refuses requests.
      if (this.redis.status === 'ready') this.#bypassedUntil = performance.now() + BYPASS_MS;
      return local();
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
