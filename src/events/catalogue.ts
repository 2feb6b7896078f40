import { domainEvents } from './domain.events.js';
import { Catalogue } from './event-type.js';
import { jobEvents } from './job.events.js';
import { runEvents } from './run.events.js';
import { isProbeSite, siteEvents, siteIdOf } from './site/site.events.js';
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
 * Streams whose events are linked by hashes: the history of each site, which must be able to prove itself. That of the
 * probe’s site need not, and is dropped.
 */
export const isChained = (stream: string) => stream.startsWith('site-') && !isProbeSite(siteIdOf(stream));
