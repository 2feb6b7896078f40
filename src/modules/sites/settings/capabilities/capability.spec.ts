import { describe, it } from '@jest/globals';
import { given } from '../../../../../test/support/events/given-when.js';
import { ann, bob, by, created, deployed, nobody, stranger } from '../../../../../test/support/events/site-examples.js';
import { MemberAdded, SiteClaimed } from '../../../../events/site/member.events.js';
import { CapabilitySet, SiteDeleted } from '../../../../events/site/settings.events.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';
import type { Caller } from '../../../../kernel/command-context.js';
import type { RefusalCode } from '../../../../kernel/refusal.js';
import { site } from '../../site/state/site.state.js';
import { decideCapability, type SetCapability } from './capability.decide.js';

const story = [created, deployed(1)];
const claimed = SiteClaimed({ memberId: 'mem_bob', userId: 'usr_bob' });
const carl: Caller = { ...nobody, userId: 'usr_carl' };
const carls = (role: 'owner' | 'editor' | 'viewer') =>
  MemberAdded({ memberId: 'mem_carl', userId: 'usr_carl', role, inviteId: null });
const spa = (enabled: boolean, caller: Caller = ann, config: SetCapability['config'] = null) => ({
  context: by(caller),
  name: 'spa' as const,
  enabled,
  config,
});
const set = (enabled: boolean, config = {}) => CapabilitySet({ name: 'spa', enabled, config });

describe('Setting a capability', () => {
  it('a capability can be switched on and off', () => {
    given(site, ...story)
      .when(decideCapability, spa(true))
      .records(set(true));
    given(site, ...story, set(true))
      .when(decideCapability, spa(false))
      .records(set(false));
  });

  it('records nothing if the capability’s setting stays the same', () => {
    given(site, ...story)
      .when(decideCapability, spa(false))
      .recordsNothing();
    given(site, ...story, set(true, { page: 'x' }))
      .when(decideCapability, spa(true, ann, { page: 'x' }))
      .recordsNothing();
  });

  it('a capability keeps its configuration if none is sent', () =>
    given(site, ...story, set(true, { page: 'x' }))
      .when(decideCapability, spa(false))
      .records(set(false, { page: 'x' })));

  it('a configuration that is sent replaces the capability’s previous configuration', () =>
    given(site, ...story, set(true, { page: 'x' }))
      .when(decideCapability, spa(true, ann, {}))
      .records(set(true)));

  it.each(['owner', 'editor'] as const)('an %s can set a capability', (role) =>
    given(site, ...story, claimed, carls(role))
      .when(decideCapability, spa(true, carl))
      .records(set(true)),
  );

  it('only owners can set a capability for outbound requests, so an unclaimed site can’t have it', () => {
    const egress = { name: 'egress' as const, enabled: true, config: { hosts: ['api.example.com'] } };
    given(site, ...story)
      .when(decideCapability, { context: by(ann), ...egress })
      .refuses('forbidden');
    given(site, ...story, claimed, carls('editor'))
      .when(decideCapability, { context: by(carl), ...egress })
      .refuses('forbidden');
    given(site, ...story, claimed, carls('owner'))
      .when(decideCapability, { context: by(carl), ...egress })
      .records(CapabilitySet(egress));
    given(site, ...story, claimed, carls('owner'), CapabilitySet(egress))
      .when(decideCapability, { context: by(carl), ...egress })
      .recordsNothing();
  });

  it.each<[string, Caller, SiteEvent[], RefusalCode]>([
    ['a viewer', carl, [claimed, carls('viewer')], 'forbidden'],
    ['a stranger', bob, [], 'forbidden'],
    ['another site’s edit token', stranger, [], 'edit_token_invalid'],
    ['a caller without credentials', nobody, [], 'unauthenticated'],
    ['every caller once the site is deleted', ann, [SiteDeleted({})], 'site_not_found'],
  ])('setting a capability is refused for %s', (_, caller, events, code) =>
    given(site, ...story, ...events)
      .when(decideCapability, spa(true, caller))
      .refuses(code),
  );
});
