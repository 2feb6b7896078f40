/** Lets a reader wait until recent writes are readable. */
export abstract class ReadModelWaiter {
  /**
   * Resolves when every read model has passed `position`, or after two seconds if that is earlier. Returns the position
   * that
   * all of them have reached. A delay is reported in the response and is not an error.
   */
  abstract reached(position: bigint): Promise<bigint>;
}
