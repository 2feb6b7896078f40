import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type Rate, rates } from '../../src/edge/http/limits/rates.js';

const documented = new Map(
  [...readFileSync('docs/interface/limits.md', 'utf8').matchAll(/^\| `([a-z-]+)` \| ([^|]+) \| ([^|]+) \|/gm)].map(
    ([, name = '', limit = '', per = '']) => [name, { limit, per }],
  ),
);

const WINDOWS: Readonly<Record<number, string>> = { 60: 'a minute', 3600: 'an hour', 86400: 'a day' };
const GIB = 1_073_741_824;

function limitOf({ name, limit, seconds }: Rate): string {
  const window = WINDOWS[seconds] ?? `in ${seconds / 60} minutes`;
  if (!name.endsWith('-bytes')) return `${limit.toLocaleString('en')} ${window}`;
  return `${limit >= GIB ? `${limit / GIB} GiB` : `${limit / 1_048_576} MiB`} ${window}`;
}

const COUNTED_BY: Readonly<Record<Rate['per'], RegExp>> = {
  address: /^IP address(?: and site)?$/,
  'address and site': /^IP address and site$/,
  email: /^email address$/,
  site: /^site$/,
  user: /^user$/,
};

describe('Rate limits in docs/interface/limits.md', () => {
  const all: readonly Rate[] = Object.values(rates);

  it('the document lists every rate limit', () => {
    expect([...documented.keys()].sort()).toEqual([...new Set(all.map(({ name }) => name))].sort());
  });

  it.each(all.map((rate) => [rate.name, rate] as const))('the document describes the rate limit %s', (name, rate) => {
    const { limit = '', per = '' } = documented.get(name) ?? {};
    expect(limit.startsWith(limitOf(rate))).toBe(true);
    if (rate.counts === 'failures') expect(limit).toContain('refused requests only');
    expect(per).toMatch(COUNTED_BY[rate.per]);
  });
});
