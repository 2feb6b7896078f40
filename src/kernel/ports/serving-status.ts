import type { Caller } from '../command-context.js';

export abstract class ServingStatus {
  /**
   * Resolves when this process serves everything recorded up to `position`, or after two seconds. Does not reject if
   * serving lags, because the change was committed and must not look like a failure.
   */
  abstract reached(position: bigint): Promise<void>;

  /** Reports whether the site is hidden from this caller, to whom it must look missing. */
  abstract hides(slug: string, caller: Caller): boolean;
}

/** The serving status of a process that serves no requests. Hides every site. */
export class UnavailableServingStatus extends ServingStatus {
  override async reached() {}

  override hides = () => true;
}
