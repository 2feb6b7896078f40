/** What this process serves to visitors. */
export abstract class Served {
  /** Resolves when this process serves what was recorded up to `position`, or after two seconds: a commit is never reported as failed. */
  abstract reached(position: bigint): Promise<void>;
}
