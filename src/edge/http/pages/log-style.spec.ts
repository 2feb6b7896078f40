import { expect, it } from '@jest/globals';
import { LOG_STYLE } from './log-style.js';
import { PAGE_STYLE } from './page-style.js';

const namesIn = (style: string) =>
  new Set([...style.replaceAll(/\{[^{}]*\}/g, '{}').matchAll(/[.#]([a-z_][\w-]*)/gi)].map(([name]) => name));

it('The log style sheet and the page style sheet share no class or ID', () => {
  const shared = [...namesIn(LOG_STYLE)].filter((name) => namesIn(PAGE_STYLE).has(name));
  expect(shared).toEqual([]);
});
