import { describe, expect, it } from '@jest/globals';
import { stateAfter } from '../../../../../test/support/events/given-when.js';
import { created, deployed, noon, rolledBack } from '../../../../../test/support/events/site-examples.js';
import { MemorySnapshots, MemoryStore } from '../../../../../test/support/eventstore/memory-store.js';
import { RandomIds } from '../../../../adapters/random-ids.js';
import { MemberAdded } from '../../../../events/site/member.events.js';
import { SecretSet, SiteDeleted, SiteSlugReleased } from '../../../../events/site/settings.events.js';
import {
  type SiteEvent,
  SiteExpired,
  SiteExpirySet,
  SiteRestored,
  SiteTakenDown,
  siteStream,
} from '../../../../events/site/site.events.js';
import { emptyStream } from '../../../../kernel/event-store.js';
import { Transactions } from '../../../../kernel/transactions.js';
import { site } from './site.state.js';

describe('A site’s state', () => {
  const live = (...history: SiteEvent[]) => {
    const state = stateAfter(site, [created, ...history]);
    return state.status === 'live' ? state.live?.deployId : state.status;
  };

  it('the state of a site is unknown before it is created', () =>
    expect(stateAfter(site, [])).toEqual({ status: 'unknown' }));

  it('a site’s state contains the live deploy, after deploys and rollbacks', () => {
    expect(live()).toBeUndefined();
    expect(live(deployed(1), deployed(2))).toBe('dep_2');
    expect(live(deployed(1), deployed(2), rolledBack(1, 2))).toBe('dep_1');
    expect(live(deployed(1), deployed(2), rolledBack(1, 2), deployed(3))).toBe('dep_3');
  });

  it('a site’s state keeps every deploy, whichever is live', () => {
    const state = stateAfter(site, [created, deployed(1), deployed(2), rolledBack(1, 2)]);
    expect(state).toMatchObject({ deploys: [{ deployId: 'dep_1' }, { deployId: 'dep_2' }] });
  });

  it('an event from a newer version of the product does not change a site’s state', () => {
    const before = stateAfter(site, [created, deployed(1)]);
    const newer: SiteEvent = JSON.parse('{"type":"SiteRepainted","data":{}}');
    expect(site.evolve(before, newer, 3)).toBe(before);
  });

  it('a site’s state shows whether the site has been used since it was created', () => {
    const isUntouched = (...history: SiteEvent[]) => {
      const state = stateAfter(site, [created, ...history]);
      return state.status === 'live' && state.isUntouched;
    };
    const owner = MemberAdded({ memberId: 'mem_a', userId: 'usr_a', role: 'owner', inviteId: null });
    expect(isUntouched(owner, SiteExpirySet({ expiresAt: noon, renews: false }))).toBe(true);
    expect(isUntouched(owner, deployed(1))).toBe(false);
    expect(isUntouched(owner, SecretSet({ name: 'KEY', version: 1 }), owner)).toBe(false);
  });

  it('a site’s state does not change once the site has been deleted or has expired', () => {
    const ended = (...ends: SiteEvent[]) =>
      stateAfter(site, [created, deployed(1), ...ends, deployed(2), SiteRestored({})]);
    expect(ended(SiteExpired({}))).toMatchObject({ status: 'expired', slug: 'amber-otter', takenDown: false });
    expect(ended(SiteTakenDown({ reason: 'x' }), SiteExpired({}))).toMatchObject({ takenDown: true });
    expect(ended(SiteDeleted({}))).toMatchObject({ status: 'deleted', keepsSlugs: true });
    const released = SiteSlugReleased({ slug: 'amber-otter', jobId: 'job_1' });
    expect(ended(released, SiteDeleted({}))).toMatchObject({ status: 'deleted', keepsSlugs: false });
  });

  it('a site’s state is recomputed from the events if the only snapshot has an older format', async () => {
    const [store, snapshots] = [new MemoryStore(), new MemorySnapshots()];
    const stream = siteStream('site_1');
    const by = { at: noon, actor: { kind: 'anonymous' as const } };
    const events = [created, deployed(1)].map((event, n) => ({ ...event, ...by, id: `evt_${n}` }));
    const appended = await store.append(stream, emptyStream, events);
    if (appended === 'conflict') throw new Error('The stream is not empty.');
    // Snapshots of version 14 did not contain the revisions of the last changes.
    const old = { ...site, version: 14 };
    await snapshots.save(stream, old, { state: { status: 'unknown' }, head: appended.head });
    const { state } = await new Transactions(store, snapshots, new RandomIds()).state(stream, site);
    expect(state).toMatchObject({ status: 'live', lastChanges: { content: 2, access: 1, presentation: 1 } });
  });
});
