import { domainEvents } from './domain.events.js';
import { Catalogue } from './event-type.js';
import { jobEvents } from './job.events.js';
import { runEvents } from './run.events.js';
import { isProbeSite, readSiteId, siteEvents } from './site/site.events.js';
import { slugEvents } from './slug.events.js';
import { workEvents } from './work.events.js';

export const catalogue = new Catalogue([
  ...siteEvents,
  ...slugEvents,
  ...domainEvents,
  ...jobEvents,
  ...runEvents,
  ...workEvents,
]);

/**
 * Reports whether the events of a stream are linked by hashes, which prove the history of a site. Sites that the
 * service publishes to test itself need no proof, because their history is deleted.
 */
export const isChained = (stream: string) => stream.startsWith('site-') && !isProbeSite(readSiteId(stream));
