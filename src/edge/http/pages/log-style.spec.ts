import { expect, it } from '@jest/globals';
import { LOG_STYLE } from './log-style.js';
import { PAGE_STYLE } from './page-style.js';

/** The classes and IDs of a style sheet. */
const namesIn = (style: string) =>
  new Set([...style.replaceAll(/\{[^{}]*\}/g, '{}').matchAll(/[.#]([a-z_][\w-]*)/gi)].map(([name]) => name));

it('The styles of a log change nothing that other pages show, and get nothing from them', () => {
  const shared = [...namesIn(LOG_STYLE)].filter((name) => namesIn(PAGE_STYLE).has(name));
  expect(shared).toEqual([]);
});
