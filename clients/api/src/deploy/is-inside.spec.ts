import { describe, expect, it } from '@jest/globals';
import { isInside } from './is-inside.js';

describe('isInside', () => {
  it.each(['/site', '/site/a.html', '/site/..a', '/site/a/../b'])('%s is inside /site', (path) =>
    expect(isInside(path, '/site')).toBe(true),
  );

  it.each(['/', '/sites', '/site/..', '/site/../a', '/other/site'])('%s is not inside /site', (path) =>
    expect(isInside(path, '/site')).toBe(false),
  );

  it('everything is inside the root folder', () => {
    expect(isInside('/site', '/')).toBe(true);
  });
});
