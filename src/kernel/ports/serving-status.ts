import type { Caller } from '../command-context.js';

/** The state from which this process serves visitors. */
export abstract class ServingStatus {
  /**
   * Resolves when this process serves what was recorded up to `position`, or after two seconds: a late update must not
   * make
   * a committed change look failed.
   */
  abstract reached(position: bigint): Promise<void>;

  /** Whether the site with this slug is private and looks missing to this caller. */
  abstract hides(slug: string, caller: Caller): boolean;
}

/** For a process that serves no requests. */
export class UnavailableServingStatus extends ServingStatus {
  override async reached() {}

  override hides = () => true;
}
