export abstract class ReadModelWaiter {
  /**
   * Resolves when every read model has passed `position`, or after two seconds. Returns the position that all read
   * models have reached. A delay is not an error; the response reports it.
   */
  abstract reached(position: bigint): Promise<bigint>;
}
