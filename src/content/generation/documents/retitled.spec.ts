import { describe, expect, it } from '@jest/globals';
import { goodPage } from '../../../../test/support/model/pages.js';
import { retitled } from './retitled.js';

describe('Retitling a page', () => {
  it('changes its title and nothing else', () => expect(retitled(goodPage('Old'), 'New')).toBe(goodPage('New')));

  it('escapes the title', () =>
    expect(retitled(goodPage('Old'), '</title><script>&amp;')).toBe(goodPage('&lt;/title&gt;&lt;script&gt;&amp;amp;')));

  it('changes the title in its head, not one in a drawing', () => {
    const svg = '<svg><title>Old</title></svg>';
    expect(retitled(goodPage('Old', svg), 'New')).toBe(goodPage('New', svg));
  });
});
