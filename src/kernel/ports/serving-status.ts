import type { Caller } from '../command-context.js';

export abstract class ServingStatus {
  /**
   * Resolves when this process serves everything recorded up to `position`, at the latest after two seconds, because a
   * late update must not make a committed change look like a failure.
   */
  abstract reached(position: bigint): Promise<void>;

  /** Reports whether the site is private and therefore looks missing to this caller. */
  abstract hides(slug: string, caller: Caller): boolean;
}

/** Used by a process that serves no requests. */
export class UnavailableServingStatus extends ServingStatus {
  override async reached() {}

  override hides = () => true;
}
