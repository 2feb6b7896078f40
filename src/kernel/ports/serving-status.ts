import type { Caller } from '../command-context.js';

/** What this process serves to visitors. */
export abstract class ServingStatus {
  /** Resolves when this process serves what was recorded up to `position`, or after two seconds: a commit is never reported as failed. */
  abstract reached(position: bigint): Promise<void>;

  /** Whether the site with this slug is private and hidden from this caller, as if there were none. */
  abstract hides(slug: string, caller: Caller): boolean;
}

/** For a process that answers no requests. */
export class NoServing extends ServingStatus {
  override async reached() {}

  override hides = () => true;
}
