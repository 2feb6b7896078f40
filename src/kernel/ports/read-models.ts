/** Lets a reader wait until what was written can be read. */
export abstract class ReadModels {
  /**
   * Resolves when every read model has passed `position`, or after two seconds, whichever is first:
   * late is said in the answer, it is never an error. Answers the position that all of them have reached.
   */
  abstract reached(position: bigint): Promise<bigint>;
}
