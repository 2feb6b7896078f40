import { describe, expect, it } from '@jest/globals';
import { goodPage } from '../../../../test/support/model/pages.js';
import { retitled } from './retitled.js';

describe('Retitling a page', () => {
  it('changes only the title', () => expect(retitled(goodPage('Old'), 'New')).toBe(goodPage('New')));

  it('HTML-escapes the new title', () =>
    expect(retitled(goodPage('Old'), '</title><script>&amp;')).toBe(goodPage('&lt;/title&gt;&lt;script&gt;&amp;amp;')));

  it('does not change the title of an SVG drawing in the page', () => {
    const svg = '<svg><title>Old</title></svg>';
    expect(retitled(goodPage('Old', svg), 'New')).toBe(goodPage('New', svg));
  });
});
