/** Health of the Redis server that all processes of an installation share. Redis is used only for rate limits. */
export abstract class RedisHealth {
  /** Reports whether Redis responds, or null if none is configured. Never rejects. */
  abstract isReachable(): Promise<boolean | null>;
}

/** Used by installations without Redis. */
export class NoRedis extends RedisHealth {
  override isReachable = async () => null;
}
