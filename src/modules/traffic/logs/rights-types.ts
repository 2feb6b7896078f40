import { selectTypes } from '../../../events/event-type.js';
import { siteEvents } from '../../../events/site/site.events.js';

/**
 * Types of events that may end a client's right to watch the log of a site. Includes the deletion of the site, which
 * does not end the log by itself.
 */
export const rightsTypes: ReadonlySet<string> = selectTypes(siteEvents, 'changesRights').union(
  selectTypes(siteEvents, 'endsSite'),
);
