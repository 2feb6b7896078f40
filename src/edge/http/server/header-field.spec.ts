import { describe, expect, it } from '@jest/globals';
import { hasBody, headerField } from './header-field.js';

describe('A header field', () => {
  it('a header field is found regardless of case, and repeated values are joined as a list', () => {
    const sent = ['Host', 'a', 'UPGRADE', 'h2c', 'upgrade', 'websocket'];
    expect(headerField(sent, 'host')).toBe('a');
    expect(headerField(sent, 'upgrade')).toBe('h2c, websocket');
    expect(headerField(sent, 'range')).toBeUndefined();
    expect(headerField(['x', 'upgrade'], 'upgrade')).toBeUndefined();
  });

  it.each([
    [['Content-Length', '5'], true],
    [['Transfer-Encoding', 'chunked'], true],
    [['content-length', '0'], false],
    [[], false],
  ])('whether the header fields %j announce a body: %j', (sent, expected) => expect(hasBody(sent)).toBe(expected));
});
