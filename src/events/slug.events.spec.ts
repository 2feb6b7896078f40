import { describe, expect, it } from '@jest/globals';
import { storedEventContract } from '../../test/support/events/stored-event.contract.js';
import { slugEvents, slugStream } from './slug.events.js';

describe('Slug events', () => {
  storedEventContract(slugEvents, {
    SlugHeld: [{ siteId: 'site_01jd4v7h2kpf4s1w8v6y5x3q0n' }],
    SlugReserved: [{ siteId: 'site_01jd4v7h2kpf4s1w8v6y5x3q0n', until: '2026-12-20T12:00:00.000Z' }],
  });

  it('are stored under the slug', () => expect(slugStream('amber-otter')).toBe('slug-amber-otter'));
});
