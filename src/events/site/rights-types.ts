import { selectTypes } from '../event-type.js';
import { siteEvents } from './site.events.js';

/**
 * Types of events that may end a client's right to watch what belongs to a site: its log and its jobs. Includes the
 * deletion of the site, which does not end those streams by itself.
 */
export const rightsTypes: ReadonlySet<string> = selectTypes(siteEvents, 'changesRights').union(
  selectTypes(siteEvents, 'endsSite'),
);
