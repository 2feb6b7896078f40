import { siteStream } from '../../../events/site/site.events.js';
import { defineStreamCommand } from '../../../nest/stream-command.js';
import { site } from './state/site.state.js';

/** Creates a command class from a rule: `class RollbackSite extends SiteCommand(decideRollback) {}`. */
export const SiteCommand = defineStreamCommand(({ siteId }: { readonly siteId: string }) => siteStream(siteId), site);
