import { describe, expect, it } from '@jest/globals';
import { quoteId } from './quote-id.js';

describe('quoteId', () => {
  it('quotes an ID, and shortens a long one', () => {
    expect(quoteId('tok_1')).toBe('“tok_1”');
    expect(quoteId('x'.repeat(100))).toBe(`“${'x'.repeat(60)}”`);
  });

  it('does not repeat a token that was sent instead of its ID', () =>
    expect(quoteId(`stele_pat_${'a'.repeat(49)}`)).toBe('“stele_pat_…”'));
});
