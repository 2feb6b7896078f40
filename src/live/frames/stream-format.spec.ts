import { describe, expect, it } from '@jest/globals';
import { preferredFormat } from './stream-format.js';

describe('A stream is answered', () => {
  it.each([
    [undefined, 'eventStream'],
    ['*/*', 'eventStream'],
    ['text/event-stream', 'eventStream'],
    ['application/x-ndjson', 'lines'],
    ['application/json', 'page'],
    ['application/json;q=0.5, application/x-ndjson', 'lines'],
    ['image/png', 'eventStream'],
  ] as const)('to a client that accepts %j as %j', (accept, format) => expect(preferredFormat(accept)).toBe(format));
});
