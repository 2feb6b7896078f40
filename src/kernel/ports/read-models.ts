/** Lets a reader wait until recent writes can be read. */
export abstract class ReadModelWaiter {
  /**
   * Resolves when every read model has passed `position`, or after two seconds, whichever comes first. Returns the
   * position that all of them have reached. A delay is reported in the response and is not an error.
   */
  abstract reached(position: bigint): Promise<bigint>;
}
