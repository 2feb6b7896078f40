/** Health of the Redis server that all processes share. It is used only for rate limits. */
export abstract class RedisHealth {
  /** Returns null if no Redis is configured. Never rejects. */
  abstract isReachable(): Promise<boolean | null>;
}

export class NoRedis extends RedisHealth {
  override isReachable = async () => null;
}
