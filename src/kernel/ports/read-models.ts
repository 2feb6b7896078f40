export abstract class ReadModelWaiter {
  /**
   * Resolves when every read model has passed `position`, at the latest after two seconds. Returns the position that
   * all have reached. A delay is not an error; the response reports it.
   */
  abstract reached(position: bigint): Promise<bigint>;
}
