import { describe, expect, it } from '@jest/globals';
import { preferredFormat } from './stream-format.js';

describe('The response format of a stream', () => {
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
  ] as const)('the response format for `Accept: %j` is %j', (accept, format) =>
    expect(preferredFormat(accept, true)).toBe(format),
  );

  it('the response is an event stream if the client accepts text but the stream has no text form', () =>
    expect(preferredFormat('text/plain', false)).toBe('eventStream'));
});
