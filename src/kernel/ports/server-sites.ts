import type { ServedProgram } from './site-servers.js';

/** What the program of a site is given when it starts. */
export type ServerNeeds = {
  /** The site’s secrets as of now, by name; none for a deploy that is not trusted. */
  readonly environment: ReadonlyMap<string, string>;
  /** The only hosts that it may reach; none where the capability `egress` is off. */
  readonly hosts: readonly string[];
  /** The deploy that is live; null for a site that has none. */
  readonly liveId: string | null;
};

/** What the running of programs asks of the sites that they belong to, and tells them. */
export abstract class ServerSites {
  /** Null for a site that is not there any more, or is not shown. */
  abstract needs(server: Pick<ServedProgram, 'siteId' | 'deployId' | 'isTrusted'>): Promise<ServerNeeds | null>;

  /**
   * Records on the site’s stream that the program of a deploy crashed. Nothing where that deploy has just said so, or the
   * site is gone.
   */
  abstract recordCrash(siteId: string, deployId: string, reason: string): Promise<void>;
}
