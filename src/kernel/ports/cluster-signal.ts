/**
 * What the processes of one installation tell each other past the log. Nothing depends on it: what is not heard here is
 * found in the log a moment later, and what cannot be asked here each process decides by itself.
 */
export abstract class OtherProcesses {
  /** Tells them that the log has reached this position. Never fails, never waits. */
  abstract tell(position: bigint): void;

  /** Whether they can be reached now; null where no means to was configured. */
  abstract reachable(): Promise<boolean | null>;
}

/** For a process that was given nothing to reach others by. */
export class NoOtherProcesses extends OtherProcesses {
  override tell = () => undefined;
  override reachable = async () => null;
}
