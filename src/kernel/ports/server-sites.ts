import type { ServedProgram } from './site-servers.js';

/** The input for starting the server of a site. */
export type ServerNeeds = {
  /** The site’s current secrets by name; empty for an untrusted deploy. */
  readonly environment: ReadonlyMap<string, string>;
  /** The only hosts that it can reach; empty if the capability `egress` is off. */
  readonly hosts: readonly string[];
  /** The live deploy; null if there is none. */
  readonly liveId: string | null;
};

/** Reads and records what concerns the sites of running servers. */
export abstract class ServerSites {
  /** Null if the site no longer exists or is unavailable. */
  abstract needs(server: Pick<ServedProgram, 'siteId' | 'deployId' | 'isTrusted'>): Promise<ServerNeeds | null>;

  /**
   * Records in the site’s stream that the server of a deploy crashed. Does nothing if a crash of this deploy was
   * recorded
   * recently, or the site is gone.
   */
  abstract recordCrash(siteId: string, deployId: string, reason: string): Promise<void>;
}
