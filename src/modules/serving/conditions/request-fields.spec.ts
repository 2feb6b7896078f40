import { describe, expect, it } from '@jest/globals';
import { askedOf } from './request-fields.js';

describe('What a request says', () => {
  it('is read whatever the case of its names', () => {
    const asked = askedOf([
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

  it('more than once is one list', () =>
    expect(askedOf(['if-match', '"a"', 'If-Match', '"b"']).ifMatch).toBe('"a", "b"'));

  it('is nothing where nothing was said', () => {
    const { serviceWorker, hasBody, upgrade, ...texts } = askedOf(['accept', '*/*', 'cookie', 'a=b']);
    expect([serviceWorker, hasBody, upgrade]).toEqual([false, false, false]);
    expect(Object.values(texts).every((text) => text === undefined)).toBe(true);
  });

  it.each(['content-length', 'Transfer-Encoding'])('has a body when it has %s', (name) =>
    expect(askedOf([name, '1']).hasBody).toBe(true),
  );
});
