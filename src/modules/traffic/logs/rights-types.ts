import { selectTypes } from '../../../events/event-type.js';
import { siteEvents } from '../../../events/site/site.events.js';

/** Events that may end a client's right to watch a log. The log of a site does not end with the site. */
export const rightsTypes: ReadonlySet<string> = selectTypes(siteEvents, 'changesRights').union(
  selectTypes(siteEvents, 'endsSite'),
);
