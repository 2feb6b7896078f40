/** Health of the Redis server that all processes share. It is used only for rate limits. */
export abstract class RedisHealth {
  /** Reports whether Redis responds. Returns null if no Redis server is configured. Never rejects. */
  abstract checkReachable(): Promise<boolean | null>;
}

export class NoRedis extends RedisHealth {
  override checkReachable = async () => null;
}
