import type { Caller } from '../command-context.js';

/** The state on which this process bases its responses to visitors. */
export abstract class ServingStatus {
  /**
   * Resolves when this process serves everything recorded up to `position`, or after two seconds: a late update must
   * not make a committed change look as if it had failed.
   */
  abstract reached(position: bigint): Promise<void>;

  /** Reports whether the site with this slug is private and looks missing to this caller. */
  abstract hides(slug: string, caller: Caller): boolean;
}

/** Used by a process that serves no requests. */
export class UnavailableServingStatus extends ServingStatus {
  override async reached() {}

  override hides = () => true;
}
