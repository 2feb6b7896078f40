import type { Caller } from '../command-context.js';

export abstract class ServingStatus {
  /**
   * Resolves when this process serves everything recorded up to `position`, or after two seconds. Never rejects because
   * serving lags: the change is already committed, so an error would be misleading.
   */
  abstract reached(position: bigint): Promise<void>;

  /** Reports whether the site is hidden from this caller. A hidden site must look as if it did not exist. */
  abstract hides(slug: string, caller: Caller): boolean;
}

/** The serving status of a process that serves no requests. Hides every site. */
export class UnavailableServingStatus extends ServingStatus {
  override async reached() {}

  override hides = () => true;
}
