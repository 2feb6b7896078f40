import { describe, expect, it } from '@jest/globals';
import { created, deployed, rolledBack } from '../../test/support/events/site-examples.js';
import { siteEvents } from './site.events.js';
import { summaryOf } from './site-summary.js';

describe('A line of the history', () => {
  it.each([
    [created, 'Created as amber-otter'],
    [deployed(1), 'Deploy 1: 1 file, 100 bytes'],
    [deployed(2), 'Deploy 2: 2 files, 200 bytes'],
    [rolledBack(1, 2), 'Rolled back to dep_1'],
  ])('tells people what happened: %j', ({ type, data }, summary) => expect(summaryOf(type, data)).toBe(summary));

  it('is there for every kind of event', () => {
    for (const { type } of siteEvents) expect(summaryOf(type, {})).not.toBe(type);
  });

  it('names what a newer version of the product recorded as it is', () =>
    expect(summaryOf('SiteRepainted', { colour: 'red' })).toBe('SiteRepainted'));
});
