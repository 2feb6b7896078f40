/** Health of the Redis that all processes of an installation share. It is used only to count rates. */
export abstract class RedisHealth {
  /** Whether Redis responds; null if none is configured. Never rejects. */
  abstract isReachable(): Promise<boolean | null>;
}

/** For an installation without Redis. */
export class NoRedis extends RedisHealth {
  override isReachable = async () => null;
}
