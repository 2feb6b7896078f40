import { describe, expect, it } from '@jest/globals';
import { created, deployed, rolledBack } from '../../../test/support/events/site-examples.js';
import { siteEvents } from './site.events.js';
import { summaryOf } from './site-summary.js';

const actor = { kind: 'user', id: 'usr_bob' };

describe('A line of the history', () => {
  it.each([
    [created, 'Created as amber-otter'],
    [deployed(1), 'Deploy 1: 1 file, 100 bytes'],
    [deployed(2), 'Deploy 2: 2 files, 200 bytes'],
    [rolledBack(1, 2), 'Rolled back to dep_1'],
  ])('tells people what happened: %j', ({ type, data }, summary) =>
    expect(summaryOf({ type, data, actor })).toBe(summary),
  );

  it('names the program that acted for somebody', () => {
    const { type, data } = rolledBack(1, 2);
    expect(summaryOf({ type, data, actor: { ...actor, client: 'Claude', grant: 'grt_1' } })).toBe(
      'Rolled back to dep_1, by Claude',
    );
  });

  it('is there for every kind of event', () => {
    for (const { type } of siteEvents) expect(summaryOf({ type, data: {}, actor })).not.toBe(type);
  });

  it('names what a newer version of the product recorded as it is', () =>
    expect(summaryOf({ type: 'SiteRepainted', data: { colour: 'red' }, actor })).toBe('SiteRepainted'));
});
