/** Whether the Redis that all processes of an installation share answers. Nothing depends on it but where rates are counted. */
export abstract class RedisHealth {
  /** Null where none is configured. Never rejects. */
  abstract isReachable(): Promise<boolean | null>;
}

/** For an installation without Redis. */
export class NoRedis extends RedisHealth {
  override isReachable = async () => null;
}
