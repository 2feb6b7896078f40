import { describe, expect, it } from '@jest/globals';
import { isChained } from './catalogue.js';
import { siteStream } from './site/site.events.js';
import { slugStream } from './slug.events.js';

describe('Hash chains', () => {
  it('the events of a site are linked by a hash chain', () => expect(isChained(siteStream('site_1'))).toBe(true));

  it.each([slugStream('site'), slugStream('site-x'), 'job-site-1', 'Site-1', 'site'])(
    'the events of the stream %s are not linked by a hash chain',
    (stream) => expect(isChained(stream)).toBe(false),
  );
});
