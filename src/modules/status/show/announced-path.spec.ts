import { describe, expect, it } from '@jest/globals';
import { servedPath } from './announced-path.js';

describe('The announced path of the status page', () => {
  const elsewhere = servedPath('https://stele.example/how-it-is');

  it.each([
    ['/how-it-is', '/status'],
    ['/how-it-is.rss', '/status.rss'],
    ['/how-it-is?a=1', '/status?a=1'],
    ['/how-it-is/more', '/how-it-is/more'],
    ['/how-it-isnt', '/how-it-isnt'],
    ['/v1/limits', '/v1/limits'],
  ])('the announced path %s is mapped to %s', (asked, served) => expect(elsewhere(asked)).toBe(served));

  it('a path is not changed if the status page is at its default path or at the root of its own host', () => {
    for (const url of ['https://stele.example/status', 'https://status.stele.example'])
      expect(servedPath(url)('/how-it-is')).toBe('/how-it-is');
  });
});
