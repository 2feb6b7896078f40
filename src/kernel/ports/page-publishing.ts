import type { CommandContext } from '../command-context.js';

/** A page that this service has made, and where it goes. */
export type MadePage = {
  readonly html: string;
  /** Names a new site, or one that the caller may edit; null has a name made. */
  readonly slug: string | null;
  /** Kept in the history. */
  readonly message: string;
};

/** Makes deploys of pages and reads them again, for a module that knows nothing else of sites. */
export abstract class PagePublishing {
  /** Refuses what the deploy would be refused for, before a page is made: `slug_taken`, `invalid_slug` and the like. */
  abstract assertCanPublish(context: CommandContext, slug: string | null): Promise<void>;

  /** Does what POST /v1/deploy does with a page as its body, and answers what it answers. */
  abstract publish(
    context: CommandContext,
    page: MadePage,
  ): Promise<{ readonly body: unknown; readonly headers: Readonly<Record<string, string>> }>;

  /**
   * The `index.html` of a deploy, for a caller with a role on its site. Refuses with `deploy_not_found`, also where the
   * caller may not know of the site, with `forbidden`, and with `invalid_request` where it has none, or one of more than
   * `mostBytes`, or one that is no text.
   */
  abstract pageOf(context: CommandContext, deployId: string, mostBytes: number): Promise<string>;
}
