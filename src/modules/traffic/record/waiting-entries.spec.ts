import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ServedRequest } from '../api/served-request.js';
import type { AccessEntry } from './tables/access-entry.js';
import { visitorFields } from './visitor/visitor-fields.js';
import { WaitingEntries } from './waiting-entries.js';

const AT = Date.UTC(2026, 0, 2, 3, 4, 5);
const DAY = AT / 86_400_000;
const effort = { share: 1, alonePerSecond: 2, entriesPerSecond: 12 };

const entry = ({ place: { siteId }, request: { url }, status, bytes, ms }: ServedRequest): AccessEntry => ({
  siteId,
  at: AT,
  hits: 1,
  method: 'GET',
  path: url,
  status,
  bytes,
  ms,
  referrer: null,
  client: 'person',
  isPage: true,
  counted: true,
  visitor: 1n,
  browser: null,
  system: null,
  device: null,
  country: null,
});

const served = (url: string, siteId = 'site_1', more: Partial<ServedRequest> = {}): ServedRequest => ({
  place: { siteId, isCounted: true, prefixLength: 0, isHtml: true },
  request: { method: 'GET', url, rawHeaders: [], bytes: 100 },
  status: 200,
  bytes: 10,
  at: AT,
  ms: 1,
  peer: '192.0.2.1',
  hosts: { isOf: () => false },
  ...more,
});

const unlimited = { isSpent: () => false, spend: () => undefined };

describe('WaitingEntries', () => {
  let waiting: WaitingEntries;
  beforeEach(() => {
    waiting = new WaitingEntries(1_000, unlimited);
    waiting.turn(1);
  });
  const add = (request: ServedRequest, headers: readonly string[] = [], given = effort) =>
    waiting.add(request, AT, visitorFields(headers), given, () => entry(request));

  it('adds one entry per request while there are few, and later shares entries between similar requests', () => {
    for (let n = 0; n < 10; n++) expect(add(served('/', 'site_1', { ms: n }))).toBe(true);
    const { entries } = waiting.take(100);
    expect(entries.map(({ hits, bytes, ms }) => [hits, bytes, ms])).toEqual([
      [1, 10, 0],
      [1, 10, 1],
      [8, 80, 5.5],
    ]);
  });

  it.each<[string, Partial<ServedRequest>, readonly string[]]>([
    ['status', { status: 304 }, []],
    ['address', { peer: '192.0.2.2' }, []],
    ['user agent', {}, ['user-agent', 'x']],
    ['referrer', {}, ['referer', 'https://a.example/']],
    ['client behind a proxy', {}, ['x-forwarded-for', '192.0.2.3']],
    ['opt-out', {}, ['dnt', '1']],
    ['purpose', {}, ['purpose', 'prefetch']],
  ])('does not share an entry with a request that has a different %s', (_, more, headers) => {
    for (let n = 0; n < 3; n++) add(served('/'));
    add(served('/', 'site_1', more), headers);
    expect(waiting.take(100).entries.map(({ hits }) => hits)).toEqual([1, 1, 1, 1]);
  });

  it('leaves room for a quiet site during a flood, even when the limit is lowered', () => {
    for (let n = 0; n < 100; n++) add(served(`/${n}`, 'flooded'));
    const less = { ...effort, entriesPerSecond: 3 };
    expect(add(served('/', 'quiet'), [], less)).toBe(true);
    expect(add(served('/more', 'flooded'), [], less)).toBe(false);
    waiting.turn(2);
    for (let n = 0; n < 100; n++) add(served(`/${n}`, 'flooded'), [], less);
    expect(waiting.take(100).entries.filter(({ siteId }) => siteId === 'flooded')).toHaveLength(9 + 3);
  });

  it('ignores the query string when sharing entries', () => {
    for (let n = 0; n < 5; n++) add(served(`/?n=${n}`));
    expect(waiting.take(100).entries.map(({ hits }) => hits)).toEqual([1, 1, 3]);
  });

  it('leaves room for other sites during a flood, and counts dropped requests', () => {
    const kept = Array.from({ length: 100 }, (_, n) => add(served(`/${n}`))).filter((isKept) => isKept).length;
    expect(kept).toBe(9);
    expect(add(served('/', 'site_2'))).toBe(true);
    const { entries, dropped } = waiting.take(100);
    expect(entries).toHaveLength(10);
    expect(dropped).toEqual([{ siteId: 'site_1', day: Math.floor(DAY), hits: 91 }]);
    expect(waiting.take(100)).toEqual({ entries: [], dropped: [] });
  });

  it('resets its limits every second', () => {
    for (let n = 0; n < 100; n++) add(served(`/${n}`));
    waiting.turn(2);
    expect(add(served('/x'))).toBe(true);
  });

  it('enforces the budget of each site', () => {
    const left = new Map([['site_1', 10]]);
    const bounded = new WaitingEntries(1_000, {
      isSpent: (siteId) => left.get(siteId) === 0,
      spend: ({ siteId }) => left.set(siteId, (left.get(siteId) ?? 0) - 1),
    });
    const fields = visitorFields([]);
    const kept = (second: number, siteId: string) => {
      bounded.turn(second);
      return bounded.add(served(`/${second}`, siteId), AT, fields, effort, () => entry(served('/', siteId)));
    };
    for (let second = 0; second < 10; second++) expect(kept(second, 'site_1')).toBe(true);
    expect(kept(10, 'site_1')).toBe(false);
    expect(kept(10, 'site_2')).toBe(true);
  });

  it('shares an entry between missing paths that differ only after 128 characters', () => {
    const add404 = (end: string) => add(served(`/${'x'.repeat(140)}${end}`, 'site_1', { status: 404 }));
    for (let n = 0; n < 10; n++) add404(`${n}`);
    expect(waiting.take(100).entries.map(({ hits }) => hits)).toEqual([1, 1, 8]);
  });

  it('does not change entries once they have been taken', () => {
    for (let n = 0; n < 4; n++) add(served('/'));
    const { entries } = waiting.take(100);
    add(served('/'));
    expect(entries.map(({ hits }) => hits)).toEqual([1, 1, 2]);
    expect(waiting.take(100).entries.map(({ hits }) => hits)).toEqual([1]);
  });

  it('limits the number of entries, but still counts further hits of existing entries', () => {
    const few = new WaitingEntries(3, unlimited);
    const fields = visitorFields([]);
    for (let second = 0; second < 50; second++) {
      few.turn(second);
      for (let n = 0; n < 5; n++) few.add(served('/'), AT, fields, effort, () => entry(served('/')));
    }
    expect(few.size).toBe(3);
    const { entries, dropped } = few.take(100);
    const hits = entries.reduce((sum, each) => sum + each.hits, 0) + dropped.reduce((sum, each) => sum + each.hits, 0);
    expect(hits).toBe(250);
  });
});
