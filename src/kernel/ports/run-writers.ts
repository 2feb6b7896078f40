/** Who writes a run, kept beside the log where it can be erased: it may be somebody's address. */
export abstract class RunWriters {
  /**
   * Whether one of these may write the run: the first to ask becomes its writer, as the first of `proofs`, durably
   * and for ever; of any number who ask at once one wins.
   */
  abstract mayWrite(runId: string, proofs: readonly string[]): Promise<boolean>;

  /** At most `limit` runs that had their first event before then, in the order of their ids, from after one of them on. */
  abstract begunBefore(time: Date, after: string, limit: number): Promise<readonly string[]>;

  /** The run is nobody's. */
  abstract forget(runId: string): Promise<void>;
}
