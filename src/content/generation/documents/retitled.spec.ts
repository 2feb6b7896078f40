import { describe, expect, it } from '@jest/globals';
import { goodPage } from '../../../../test/support/model/pages.js';
import { retitled } from './retitled.js';

describe('A page', () => {
  it('has another title, and is else the same', () => expect(retitled(goodPage('Old'), 'New')).toBe(goodPage('New')));

  it('has it as text', () =>
    expect(retitled(goodPage('Old'), '</title><script>&amp;')).toBe(goodPage('&lt;/title&gt;&lt;script&gt;&amp;amp;')));

  it('has it in its head, not in a drawing', () => {
    const svg = '<svg><title>Old</title></svg>';
    expect(retitled(goodPage('Old', svg), 'New')).toBe(goodPage('New', svg));
  });
});
