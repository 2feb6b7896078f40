import { describe, expect, it } from '@jest/globals';
import { given } from '../../../../../test/support/events/given-when.js';
import { ann, bob, by, created, deployed, nobody } from '../../../../../test/support/events/site-examples.js';
import { cpuClock } from '../../../../../test/support/hostile/cpu-clock.js';
import { MemberAdded, SiteClaimed } from '../../../../events/site/member.events.js';
import { SiteDescribed } from '../../../../events/site/settings.events.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';
import type { Caller } from '../../../../kernel/command-context.js';
import type { RefusalCode } from '../../../../kernel/refusal.js';
import { site } from '../../site/state/site.state.js';
import { type Describe, decideDescribe } from './describe.decide.js';
import { DetailsBody } from './details-body.js';

const story = [created, deployed(1), SiteClaimed({ memberId: 'mem_bob', userId: 'usr_bob' })];
const carl: Caller = { ...nobody, userId: 'usr_carl' };
const editor = MemberAdded({ memberId: 'mem_carl', userId: 'usr_carl', role: 'editor', inviteId: null });
const saying = (details: Describe['details'], caller: Caller = bob, ifRevision: number | null = null) => ({
  context: by(caller),
  details,
  ifRevision,
});
const otters = SiteDescribed({ title: 'Otters', description: 'All of them', robots: 'noindex' });

describe('Setting the details of a site', () => {
  it('setting a detail records all details of the site, even those that did not change', () => {
    given(site, ...story)
      .when(decideDescribe, saying({ title: 'Otters', description: 'All of them', robots: 'noindex' }))
      .records(otters);
    given(site, ...story, otters)
      .when(decideDescribe, saying({ title: 'Beavers' }))
      .records(SiteDescribed({ ...otters.data, title: 'Beavers' }));
  });

  it('records nothing if no detail changes', () => {
    given(site, ...story)
      .when(decideDescribe, saying({}))
      .recordsNothing();
    given(site, ...story, otters)
      .when(decideDescribe, saying({ robots: 'noindex', title: 'Otters' }))
      .recordsNothing();
  });

  it('details of a site can be removed', () =>
    given(site, ...story, otters)
      .when(decideDescribe, saying({ title: '', description: '', robots: 'index' }))
      .records(SiteDescribed({ title: '', description: '', robots: 'index' })));

  it.each<[string, Caller, SiteEvent[], RefusalCode]>([
    ['an editor', carl, [editor], 'forbidden'],
    ['a former edit token', ann, [], 'edit_token_invalid'],
    ['a caller without credentials', nobody, [], 'unauthenticated'],
  ])('setting a site’s details is refused for %s', (_, caller, events, code) =>
    given(site, ...story, ...events)
      .when(decideDescribe, saying({ title: 'x' }, caller))
      .refuses(code),
  );

  it('setting a site’s details is refused if the site has changed since the caller last saw it', () =>
    given(site, ...story)
      .when(decideDescribe, saying({}, bob, 1))
      .refuses('revision_mismatch'));
});

describe('The title of a site', () => {
  it('a title is trimmed and normalized', () =>
    expect(DetailsBody.parse({ title: ' e\u0301te\u0301 ', description: '' })).toEqual({
      title: 'été',
      description: '',
    }));

  it.each([
    ['too many combining marks on a letter', `e${'\u0301'.repeat(31)}`],
    ['thousands of combining marks', `e${'\u0301\u0323'.repeat(15_000)}`],
    ['too many letters', 'e\u0301'.repeat(121)],
  ])('a title can’t have %s, and is refused in bounded time', (_, title) => {
    const spent = cpuClock();
    expect(DetailsBody.safeParse({ title }).success).toBe(false);
    expect(spent()).toBeLessThan(2_000);
  });

  it('a title can have the maximum number of letters in composed or decomposed Unicode form', () =>
    expect(DetailsBody.parse({ title: `  ${'e\u0301'.repeat(120)} ` })).toEqual({ title: 'é'.repeat(120) }));

  it.each(['a\u0007', 'a\u0085b', 'a\u2028b', 'a\u2066b', '\udc00', 'a\tb'])(
    'a title can’t contain invisible characters: %j',
    (title) => expect(DetailsBody.safeParse({ title }).success).toBe(false),
  );
});
