import { describe, expect, it } from '@jest/globals';
import { slugStream } from './slug.events.js';

describe('Slug events', () => {
  it('slug events are stored under the slug', () => expect(slugStream('amber-otter')).toBe('slug-amber-otter'));
});
