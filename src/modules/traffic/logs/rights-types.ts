import { selectTypes } from '../../../events/event-type.js';
import { siteEvents } from '../../../events/site/site.events.js';

/**
 * Types of events that may end a client's right to watch the log of a site. The log itself does not end when the site
 * is deleted.
 */
export const rightsTypes: ReadonlySet<string> = selectTypes(siteEvents, 'changesRights').union(
  selectTypes(siteEvents, 'endsSite'),
);
