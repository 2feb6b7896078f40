import { describe, expect, it } from '@jest/globals';
import { stateAfter } from '../../../../test/support/events/given-when.js';
import { created, deployed, noon, rolledBack, staged } from '../../../../test/support/events/site-examples.js';
import { MemberAdded, MemberInvited, SiteClaimed } from '../../../events/site/member.events.js';
import {
  CapabilitySet,
  SecretSet,
  SiteAccessSet,
  SiteDescribed,
  SiteRenamed,
} from '../../../events/site/settings.events.js';
import { type SiteEvent, SiteExpirySet, SiteRestored, SiteTakenDown } from '../../../events/site/site.events.js';
import { SiteDomainAdded } from '../../../events/site/site-domain.events.js';
import { AccessTokenRevoked } from '../../../events/site/token.events.js';
import { type Dependency, defineConditionalRule } from './if-match.rule.js';
import { site } from './state/site.state.js';

const story: readonly SiteEvent[] = [created, deployed(1), deployed(2, 'dep_1')];
const SEEN = story.length;
type Asked = { readonly ifRevision: number | null };
const check = (history: readonly SiteEvent[], dependsOn: Dependency, ifRevision: number | null) => () => {
  const decide = defineConditionalRule<Asked>(dependsOn, (state, _, assertUnchanged) => {
    if (state.status !== 'live') throw new Error('The site is not live.');
    assertUnchanged(state);
    return [];
  });
  decide(stateAfter(site, history), { ifRevision }, history.length);
};
const mismatch = (more: object = {}) => expect.objectContaining({ code: 'revision_mismatch', ...more });

describe('If-Match with the last revision that the caller saw', () => {
  const cases: [SiteEvent, failing: Dependency[]][] = [
    [deployed(3, 'dep_2'), ['content']],
    [staged(3), ['content']],
    [rolledBack(1, 2), ['content']],
    [SiteAccessSet({ visibility: 'members', passwordId: null }), ['content', 'presentation']],
    [SiteTakenDown({ reason: 'abuse' }), ['content', 'presentation']],
    [SiteClaimed({ memberId: 'mem_a', userId: 'usr_a' }), ['content', 'presentation']],
    [SiteRenamed({ slug: 'blue-whale', before: 'amber-otter' }), ['presentation']],
    [SiteDescribed({ title: 'x', description: '', robots: 'index' }), ['presentation']],
    [SiteRestored({}), []],
    [SiteExpirySet({ expiresAt: noon, renews: true }), []],
    [SecretSet({ name: 'KEY', version: 1 }), []],
    [CapabilitySet({ name: 'spa', enabled: true, config: {} }), []],
    [SiteDomainAdded({ hostname: 'example.org', revision: 1, redirectTo: null }), []],
    [MemberInvited({ inviteId: 'inv_1', role: 'editor', expiresAt: noon, invitedBy: null }), []],
    [MemberAdded({ memberId: 'mem_b', userId: 'usr_b', role: 'editor', inviteId: 'inv_1' }), []],
    [AccessTokenRevoked({ tokenId: 'tok_1' }), []],
  ];

  describe.each(['content', 'presentation', 'everything'] as const)('A request that depends on %s', (dependsOn) => {
    it.each(cases.map(([event, failing]) => [event.type, event, failing] as const))(
      'a request passes unless it depends on what changed: %s',
      (_, event, failing) => {
        const fails = dependsOn === 'everything' || failing.includes(dependsOn);
        const checked = check([...story, event], dependsOn, SEEN);
        if (fails) expect(checked).toThrow(mismatch());
        else expect(checked).not.toThrow();
      },
    );

    it('a request with the current revision, or without If-Match, passes', () => {
      const history = [...story, ...cases.map(([event]) => event)];
      expect(check(history, dependsOn, history.length)).not.toThrow();
      expect(check(history, dependsOn, null)).not.toThrow();
    });

    it('a revision that the site has not reached is refused', () =>
      expect(check(story, dependsOn, SEEN + 1)).toThrow(
        mismatch({ detail: 'The site is at revision 3 and has not reached revision 4 yet.' }),
      ));

    it('revision 0 is refused for a site without a deploy', () =>
      expect(check([created], dependsOn, 0)).toThrow(mismatch()));
  });

  it('a refusal reports the current revision and the live deploy', () => {
    expect(check([...story, staged(3), SecretSet({ name: 'KEY', version: 1 })], 'content', SEEN)).toThrow(
      mismatch({
        detail: 'The site has changed since revision 3. It is now at revision 5.',
        faults: [
          { path: 'revision', message: '5' },
          { path: 'deployId', message: 'dep_2' },
        ],
      }),
    );
    expect(check([created], 'content', 7)).toThrow(
      mismatch({
        faults: [
          { path: 'revision', message: '1' },
          { path: 'deployId', message: 'none' },
        ],
      }),
    );
  });

  it('the text that says when If-Match fails is generated from the list of relevant events', () => {
    const words = (dependsOn: Dependency) => defineConditionalRule<Asked>(dependsOn, () => []).failsIf;
    expect(words('content')).toMatch(/^someone has deployed, .*, or changed who can see it$/);
    expect(words('presentation')).toMatch(/^someone has renamed, .* the site, or changed its title, .*who can see it$/);
    expect(words('everything')).toBe('anything about the site has changed');
  });

  it('a command that supports If-Match throws an error if its code never checks the revision', () => {
    const forgetful = defineConditionalRule<Asked>('content', () => [SiteRestored({})]);
    expect(() => forgetful(stateAfter(site, story), { ifRevision: null }, SEEN)).toThrow(
      'The rule that records SiteRestored must call assertUnchanged before it returns events.',
    );
  });
});
