import { selectTypes } from '../../../events/event-type.js';
import { siteEvents } from '../../../events/site/site.events.js';

/** Events after which a client may no longer be allowed to watch a log. A log does not end with its site. */
export const rightsTypes: ReadonlySet<string> = selectTypes(siteEvents, 'changesRights').union(
  selectTypes(siteEvents, 'endsSite'),
);
