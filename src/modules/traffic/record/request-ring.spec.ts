import { expect, it } from '@jest/globals';
import { RequestRing } from './request-ring.js';

const served = (url: string, bytes: number) => ({
  place: { siteId: 'site_1', isCounted: true, prefixLength: 0, isHtml: true },
  request: { method: 'GET', url, rawHeaders: [], bytes },
  status: 200,
  bytes: 1,
  at: null,
  ms: 0,
  peer: '192.0.2.1',
  hosts: { isOf: () => false },
});

it('RequestRing returns requests in order', () => {
  const ring = new RequestRing({ requests: 1_000, bytes: 10_000_000 });
  const came: string[] = [];
  for (let n = 0; n < 1_000; n++) ring.push(served(`/${n}`, 100));
  for (let next = ring.first(); next; next = ring.first()) {
    came.push(next.request.url);
    ring.shift();
  }
  expect(came).toEqual(Array.from({ length: 1_000 }, (_, n) => `/${n}`));
  expect(ring.size).toBe(0);
});

it('RequestRing limits the number of requests and their size', () => {
  const few = new RequestRing({ requests: 3, bytes: 10_000_000 });
  expect([1, 2, 3, 4].map(() => few.push(served('/', 100)))).toEqual([true, true, true, false]);
  few.shift();
  expect(few.push(served('/', 100))).toBe(true);

  const small = new RequestRing({ requests: 1_000, bytes: 40_000 });
  const held = Array.from({ length: 10 }, () => small.push(served('/', 16_384))).filter((isHeld) => isHeld);
  expect(held).toHaveLength(2);
  small.shift();
  small.shift();
  expect(small.push(served('/', 16_384))).toBe(true);
});
