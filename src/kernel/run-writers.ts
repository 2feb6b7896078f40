/** Who writes a run, kept beside the log where it can be erased: it may be somebody's address. */
export abstract class RunWriters {
  /**
   * Whether one of these may write the run: the first to ask becomes its writer, as the first of `proofs`, durably
   * and for ever; of any number who ask at once one wins.
   */
  abstract mayWrite(runId: string, proofs: readonly string[]): Promise<boolean>;
}
