/**
 * What the processes of one installation tell each other besides the log. Nothing depends on it: what is not heard here
 * is found in the log a moment later, and where peers cannot be reached each process decides by itself.
 */
export abstract class ClusterSignal {
  /** Tells the other processes that the log has reached this position. Never fails, never waits. */
  abstract tell(position: bigint): void;

  /** Whether they can be reached now; null where no way to do so was configured. */
  abstract reachable(): Promise<boolean | null>;
}

/** For a process without a way to reach others. */
export class NoClusterSignal extends ClusterSignal {
  override tell = () => undefined;
  override reachable = async () => null;
}
