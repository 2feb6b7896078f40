import { describe, expect, it } from '@jest/globals';
import { given, stateAfter } from '../../../../../test/support/events/given-when.js';
import {
  ann,
  bob,
  by,
  created,
  deployed,
  later,
  nobody,
  noon,
  stranger,
} from '../../../../../test/support/events/site-examples.js';
import { MemberAdded, SiteClaimed } from '../../../../events/site/member.events.js';
import { SecretDeleted, SecretSet, SiteDeleted } from '../../../../events/site/settings.events.js';
import { type SiteEvent, SiteExpirySet, SiteTakenDown } from '../../../../events/site/site.events.js';
import type { Caller } from '../../../../kernel/command-context.js';
import { site } from '../../site/state/site.state.js';
import { isOrphan, RECORDED_WITHIN_MS } from './orphaned-secret.js';
import { decideDeleteSecret, decideSetSecret, lastVersion, MAX_SECRETS, secretsInForce } from './secret.decide.js';

const carl: Caller = { editTokenHash: null, userId: 'usr_carl' };
const claimed = SiteClaimed({ memberId: 'mem_bob', userId: 'usr_bob' });
const bobs: SiteEvent[] = [created, deployed(1), claimed];
const carlAs = (role: 'owner' | 'editor' | 'viewer') =>
  MemberAdded({ memberId: 'mem_carl', userId: 'usr_carl', role, inviteId: null });
const set = (version: number, name = 'API_KEY') => SecretSet({ name, version });
const gone = (version: number, name = 'API_KEY') => SecretDeleted({ name, version });
const name = 'API_KEY';

describe('Setting a secret', () => {
  const command = { context: by(bob), name, version: 1 };

  it('setting a secret records its version', () =>
    given(site, ...bobs)
      .when(decideSetSecret, command)
      .records(set(1)));

  it('setting a secret again records the next version', () =>
    given(site, ...bobs, set(1))
      .when(decideSetSecret, { ...command, version: 2 })
      .records(set(2)));

  it('setting a deleted secret records the next version, because versions are never reused', () => {
    expect(lastVersion(stateAfter(site, [...bobs, set(7), gone(7)]), command)).toBe(7);
    given(site, ...bobs, set(7), gone(7))
      .when(decideSetSecret, { ...command, version: 8 })
      .records(set(8));
  });

  it('the version of a secret can skip numbers whose values were never recorded', () =>
    given(site, ...bobs, set(1))
      .when(decideSetSecret, { ...command, version: 5 })
      .records(set(5)));

  it('setting a secret is refused if another writer has already recorded its version', () => {
    given(site, ...bobs, set(1))
      .when(decideSetSecret, command)
      .refuses('conflict');
    given(site, ...bobs, set(2), gone(2))
      .when(decideSetSecret, { ...command, version: 2 })
      .refuses('conflict');
  });

  it.each<[string, Caller, SiteEvent[], string]>([
    ['a caller without credentials', nobody, [], 'unauthenticated'],
    ['a stranger who is signed in', carl, [], 'forbidden'],
    ['a viewer', carl, [carlAs('viewer')], 'forbidden'],
    ['an editor', carl, [carlAs('editor')], 'forbidden'],
    ['another site’s edit token', stranger, [], 'edit_token_invalid'],
    ['the edit token of a site that has been claimed', ann, [], 'edit_token_invalid'],
  ])('setting a secret is refused for %s', (_, caller, events, code) => {
    const refused = expect.objectContaining({ code });
    const state = stateAfter(site, [...bobs, set(1), ...events]);
    expect(() => decideSetSecret(state, { context: by(caller), name, version: 2 })).toThrow(refused);
    expect(() => lastVersion(state, { context: by(caller), name })).toThrow(refused);
    expect(() => decideDeleteSecret(state, { context: by(caller), name })).toThrow(refused);
  });

  it('every owner of a site can set a secret', () =>
    given(site, ...bobs, carlAs('owner'))
      .when(decideSetSecret, { ...command, context: by(carl) })
      .records(set(1)));

  it('setting a secret is refused with the edit token of a site without an owner', () =>
    given(site, created, deployed(1))
      .when(decideSetSecret, { ...command, context: by(ann) })
      .refuses('forbidden'));

  it('setting a secret is refused if the site does not exist, has expired or was taken down', () => {
    given(site).when(decideSetSecret, command).refuses('site_not_found');
    given(site, ...bobs, SiteDeleted({}))
      .when(decideSetSecret, command)
      .refuses('site_not_found');
    given(site, created, SiteExpirySet({ expiresAt: noon, renews: false }))
      .when(decideSetSecret, { ...command, context: { ...by(bob), at: later } })
      .refuses('site_expired');
    given(site, ...bobs, SiteTakenDown({ reason: 'x' }))
      .when(decideSetSecret, command)
      .refuses('taken_down');
  });

  it('no new secret can be set at the limit; deleted secrets and new values of existing ones do not count', () => {
    const full = Array.from({ length: MAX_SECRETS }, (_, n) => set(1, `NAME_${n}`));
    given(site, ...bobs, ...full)
      .when(decideSetSecret, command)
      .refuses('quota_exceeded');
    given(site, ...bobs, ...full)
      .when(decideSetSecret, { ...command, name: 'NAME_0', version: 2 })
      .records(set(2, 'NAME_0'));
    given(site, ...bobs, ...full, gone(1, 'NAME_3'))
      .when(decideSetSecret, command)
      .records(set(1));
    given(site, ...bobs, set(1), gone(1), ...full)
      .when(decideSetSecret, { ...command, version: 2 })
      .refuses('quota_exceeded');
  });
});

describe('Deleting a secret', () => {
  const command = { context: by(bob), name };

  it('deleting a secret records its last version', () =>
    given(site, ...bobs, set(3))
      .when(decideDeleteSecret, command)
      .records(gone(3)));

  it('records nothing if the secret is already deleted', () =>
    given(site, ...bobs, set(3), gone(3))
      .when(decideDeleteSecret, command)
      .recordsNothing());

  it('deleting a secret is refused if it never existed', () => {
    given(site, ...bobs)
      .when(decideDeleteSecret, command)
      .refuses('not_found');
    given(site, ...bobs)
      .when(decideDeleteSecret, { ...command, name: 'constructor' })
      .refuses('not_found');
  });
});

describe('The secrets in use', () => {
  it('the secrets in use are the latest versions of all secrets that were set and not deleted', () => {
    const state = stateAfter(site, [...bobs, set(1, 'A'), set(2, 'A'), set(1, 'B'), gone(1, 'B'), set(4, 'C')]);
    expect(state.status === 'live' && [...secretsInForce(state)]).toEqual([
      ['A', 2],
      ['C', 4],
    ]);
  });
});

describe('A vault value', () => {
  const live = stateAfter(site, [...bobs, set(2), set(1, 'OLD'), gone(1, 'OLD')]);
  const kept = (version: number, of = name, age = 0) => ({ name: of, version, age });

  it('a stored value is kept while it is in use, however old it is', () =>
    expect(isOrphan(live, kept(2, name, 10 * RECORDED_WITHIN_MS))).toBe(false));

  it('a stored value is orphaned if a later value is in use or the secret was deleted', () => {
    expect(isOrphan(live, kept(1))).toBe(true);
    expect(isOrphan(live, kept(1, 'OLD'))).toBe(true);
  });

  it('a stored value is kept for a limited time if it has not been recorded yet', () => {
    for (const each of [name, 'OLD', 'NEW']) {
      expect(isOrphan(live, kept(3, each, RECORDED_WITHIN_MS))).toBe(false);
      expect(isOrphan(live, kept(3, each, RECORDED_WITHIN_MS + 1))).toBe(true);
    }
  });

  it('a stored value is orphaned if its site no longer exists', () => {
    expect(isOrphan(stateAfter(site, [...bobs, set(2), SiteDeleted({})]), kept(2))).toBe(true);
    expect(isOrphan(site.initial, kept(1))).toBe(true);
  });
});
