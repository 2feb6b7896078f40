import { siteStream } from '../../../events/site/site.events.js';
import { defineStreamCommand } from '../../../nest/stream-command.js';
import { site } from './site.state.js';

/**
 * Creates a class for commands on a site from its rule: `class RollbackSite extends SiteCommand(decideRollback) {}`.
 */
export const SiteCommand = defineStreamCommand(({ siteId }: { readonly siteId: string }) => siteStream(siteId), site);
