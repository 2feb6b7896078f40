import { describe, expect, it } from '@jest/globals';
import { keptPrivate } from './private-headers.js';

describe('keptPrivate', () => {
  it('keeps the site’s headers, except those that would expose the response to others', () => {
    const chosen = {
      'content-type': 'text/html',
      'x-own': 'yes',
      'cache-control': 'public, max-age=31536000, immutable',
      'cdn-cache-control': 'max-age=60',
      'surrogate-control': 'max-age=60',
      expires: 'Fri, 01 Jan 2038 00:00:00 GMT',
      'access-control-allow-origin': 'https://evil.example',
      'access-control-allow-credentials': 'true',
      'cross-origin-resource-policy': 'cross-origin',
    };
    expect(keptPrivate(chosen)).toEqual({
      'content-type': 'text/html',
      'x-own': 'yes',
      'cache-control': 'private, no-cache',
      'cross-origin-resource-policy': 'same-origin',
    });
  });
});
