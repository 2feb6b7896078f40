import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ServingIndexes } from '../../../../test/support/database/serving-indexes.js';
import { bob, created, deployed, nobody } from '../../../../test/support/events/site-examples.js';
import { MemberAdded, MemberRemoved, SiteClaimed } from '../../../events/site/member.events.js';
import { SiteAccessSet } from '../../../events/site/settings.events.js';

describe('Access to a site in the serving index', () => {
  let log: ServingIndexes;
  beforeEach(async () => {
    log = await ServingIndexes.open();
  });
  afterEach(() => log.close());

  const carls = { memberId: 'mem_carl', userId: 'usr_carl' };
  const carl = { editTokenHash: null, userId: 'usr_carl' };
  const story = [
    created,
    deployed(1),
    SiteClaimed({ memberId: 'mem_bob', userId: 'usr_bob' }),
    SiteAccessSet({ visibility: 'members', passwordId: null }),
    MemberAdded({ ...carls, role: 'viewer', inviteId: null }),
  ] as const;

  it('each change of access creates a new site object in the index', async () => {
    const index = await log.started();
    const seen = [];
    for (const event of [...story, MemberRemoved(carls)]) {
      await index.reached(await log.happened(event));
      seen.push(index.site('amber-otter'));
    }
    expect(seen.map((site) => [site?.visibility, [...(site?.members ?? [])]])).toEqual([
      ['public', []],
      ['public', []],
      ['public', ['usr_bob']],
      ['members', ['usr_bob']],
      ['members', ['usr_bob', 'usr_carl']],
      ['members', ['usr_bob']],
    ]);
    expect(new Set(seen).size).toBe(6);
  });

  it('access to a site is read from the read models and from later events', async () => {
    await log.happened(...story);
    await log.readModelsCaughtUp();
    await log.happened(MemberRemoved(carls), SiteAccessSet({ visibility: 'password', passwordId: 'pwd_1' }));
    const index = await log.started();
    expect(index.site('amber-otter')).toMatchObject({ visibility: 'password', passwordId: 'pwd_1' });
    expect([...(index.site('amber-otter')?.members ?? [])]).toEqual(['usr_bob']);
  });

  it.each(['site', 'membership'])(
    'access is correct if the read model of the %s lags behind the other',
    async (name) => {
      await log.happened(...story, MemberRemoved(carls));
      await log.readModelsCaughtUp();
      await log.keeping.pool.query('update checkpoints set position = 3 where name = $1', [name]);
      const index = await log.started();
      expect(index.site('amber-otter')).toMatchObject({ visibility: 'members', revision: 6 });
      expect([...(index.site('amber-otter')?.members ?? [])]).toEqual(['usr_bob']);
    },
  );

  it('a site that is not public is hidden from everyone without a role', async () => {
    const index = await log.started();
    await index.reached(await log.happened(...story));
    expect([nobody, bob, carl].map((caller) => index.hides('amber-otter', caller))).toEqual([true, false, false]);
    await index.reached(await log.happened(MemberRemoved(carls)));
    expect([bob, carl].map((caller) => index.hides('amber-otter', caller))).toEqual([false, true]);
    expect(index.hides('no-such-site', nobody)).toBe(false);
    await index.reached(await log.happened(SiteAccessSet({ visibility: 'public', passwordId: null })));
    expect([nobody, carl].map((caller) => index.hides('amber-otter', caller))).toEqual([false, false]);
  });
});
