import { siteStream } from '../../../events/site.events.js';
import { commandsOn } from '../../../process/nest/stream-command.js';
import { site } from './site.state.js';

/** A command on one site, by the rule it is given. */
export const SiteCommand = commandsOn(({ siteId }: { readonly siteId: string }) => siteStream(siteId), site);
