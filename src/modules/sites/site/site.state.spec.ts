import { describe, expect, it } from '@jest/globals';
import { stateAfter } from '../../../../test/support/events/given-when.js';
import { created, deployed, rolledBack } from '../../../../test/support/events/site-examples.js';
import type { SiteEvent } from '../../../events/site/site.events.js';
import { site } from './site.state.js';

describe('What the rules know of a site', () => {
  const live = (...history: SiteEvent[]) => {
    const state = stateAfter(site, [created, ...history]);
    return state.status === 'live' ? state.live?.deployId : state.status;
  };

  it('is nothing before it was created', () => expect(stateAfter(site, [])).toEqual({ status: 'unknown' }));

  it('is which deploy is live, after deploys and rollbacks', () => {
    expect(live()).toBeUndefined();
    expect(live(deployed(1), deployed(2))).toBe('dep_2');
    expect(live(deployed(1), deployed(2), rolledBack(1, 2))).toBe('dep_1');
    expect(live(deployed(1), deployed(2), rolledBack(1, 2), deployed(3))).toBe('dep_3');
  });

  it('keeps every deploy, whatever is live', () => {
    const state = stateAfter(site, [created, deployed(1), deployed(2), rolledBack(1, 2)]);
    expect(state).toMatchObject({ deploys: [{ deployId: 'dep_1' }, { deployId: 'dep_2' }] });
  });

  it('is left as it is by an event of a newer version of the product', () => {
    const before = stateAfter(site, [created, deployed(1)]);
    const newer: SiteEvent = JSON.parse('{"type":"SiteRepainted","data":{}}');
    expect(site.evolve(before, newer)).toBe(before);
  });
});
