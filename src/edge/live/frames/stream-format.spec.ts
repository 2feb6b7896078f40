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
    ['text/plain', 'text'],
    ['text/*', 'eventStream'],
  ] as const)('to a client that accepts %j as %j', (accept, format) =>
    expect(preferredFormat(accept, true)).toBe(format),
  );

  it('as events to who wants text of a stream that has none', () =>
    expect(preferredFormat('text/plain', false)).toBe('eventStream'));
});
