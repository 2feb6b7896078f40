import type { Caller } from '../command-context.js';

/** What this process serves to visitors. */
export abstract class Served {
  /** Resolves when this process serves what was recorded up to `position`, or after two seconds: a commit is never reported as failed. */
  abstract reached(position: bigint): Promise<void>;

  /** Whether the site with this slug is not public and is to be, to this caller, none at all. */
  abstract hides(slug: string, caller: Caller): boolean;
}

/** For a process that answers nobody: what others show is theirs to say. */
export class ServedByOthers extends Served {
  override async reached() {}

  override hides = () => true;
}
