import { siteStream } from '../../../events/site/site.events.js';
import { commandsOn } from '../../../nest/stream-command.js';
import { site } from './site.state.js';

/** Makes a class of commands on one site from its rule: `class RollbackSite extends SiteCommand(decideRollback) {}`. */
export const SiteCommand = commandsOn(({ siteId }: { readonly siteId: string }) => siteStream(siteId), site);
