import { describe, expect, it } from '@jest/globals';
import { ServerLoad } from './server-load.js';

describe('ServerLoad', () => {
  it('limits open requests per site and in total', () => {
    const load = new ServerLoad({ ofSite: 2, inAll: 3 });
    expect(['one', 'one', 'one', 'two', 'two'].map((site) => load.enter(site))).toEqual([
      true,
      true,
      false,
      true,
      false,
    ]);
    load.leave('one');
    expect(load.enter('two')).toBe(true);
    expect(load.enter('one')).toBe(false);
  });

  it('resolves empty() when no request is open', async () => {
    const load = new ServerLoad({ ofSite: 2, inAll: 3 });
    await load.empty();
    load.enter('one');
    load.enter('two');
    const empty = load.empty().then(() => 'empty');
    load.leave('one');
    expect(await Promise.race([empty, Promise.resolve('not yet')])).toBe('not yet');
    load.leave('two');
    expect(await empty).toBe('empty');
  });
});
