import { describe, expect, it } from '@jest/globals';
import { requestFields } from './preconditions.js';

describe('requestFields', () => {
  it('header names are matched case-insensitively', () => {
    const asked = requestFields([
      'HOST',
      'a.example',
      'If-None-Match',
      '"x"',
      'rAnGe',
      'bytes=0-1',
      'Service-Worker',
      'script',
    ]);
    expect(asked).toMatchObject({ host: 'a.example', ifNoneMatch: '"x"', range: 'bytes=0-1', serviceWorker: true });
    expect(asked.hasBody).toBe(false);
  });

  it('repeated header fields are joined into one list', () =>
    expect(requestFields(['if-match', '"a"', 'If-Match', '"b"']).ifMatch).toBe('"a", "b"'));

  it('returns undefined or false for missing header fields', () => {
    const { serviceWorker, hasBody, upgrade, ...texts } = requestFields(['accept', '*/*', 'cookie', 'a=b']);
    expect([serviceWorker, hasBody, upgrade]).toEqual([false, false, false]);
    expect(Object.values(texts).every((text) => text === undefined)).toBe(true);
  });

  it.each(['content-length', 'Transfer-Encoding'])('reports a body if the request has %s', (name) =>
    expect(requestFields([name, '1']).hasBody).toBe(true),
  );
});
