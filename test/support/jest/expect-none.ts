import { expect } from '@jest/globals';

/** Expects an empty list. The failure message names the items and what to do about them. */
export const expectNone = (items: readonly string[], remedy: string) =>
  expect(items.length === 0 ? '' : `${remedy}: ${items.join(', ')}`).toBe('');
