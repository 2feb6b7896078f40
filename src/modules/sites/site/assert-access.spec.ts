import { describe, expect, it } from '@jest/globals';
import { stateAfter } from '../../../../test/support/events/given-when.js';
import {
  ann,
  bob,
  by,
  created,
  deployed,
  digestOf,
  nobody,
  stranger,
} from '../../../../test/support/events/site-examples.js';
import { MemberAdded, MemberRemoved, MemberRoleChanged, SiteClaimed } from '../../../events/site/member.events.js';
import type { SiteEvent } from '../../../events/site/site.events.js';
import type { Caller } from '../../../kernel/command-context.js';
import { hasExpired } from '../../../kernel/rights/site-access.js';
import {
  assertCanDelegate,
  assertCanEdit,
  assertCanManage,
  assertCanRead,
  assertExists,
  assertIsOwner,
} from './assert-access.rule.js';
import { site } from './state/site.state.js';

const anns = stateAfter(site, [created, deployed(1)]);
const bobs = { memberId: 'mem_bob', userId: 'usr_bob' };
const somebodys = stateAfter(site, [created, deployed(1), SiteClaimed(bobs)]);
const carl: Caller = { ...nobody, userId: 'usr_carl' };
const carls = { memberId: 'mem_carl', userId: 'usr_carl' };
const added = (role: 'owner' | 'editor' | 'viewer') => MemberAdded({ ...carls, role, inviteId: null });
const withCarl = (...events: SiteEvent[]) => stateAfter(site, [created, deployed(1), SiteClaimed(bobs), ...events]);

describe('assertCanEdit', () => {
  it('editing is allowed with the edit token', () => expect(assertCanEdit(anns, by(ann))).toBe(anns));

  it.each<[string, Caller, string]>([
    ['a caller without credentials', nobody, 'unauthenticated'],
    ['another site’s edit token', stranger, 'edit_token_invalid'],
    [
      'a hash that differs in its last digit',
      { ...nobody, editTokenHash: digestOf('a').replace(/0$/, '1') },
      'edit_token_invalid',
    ],
    ['a shorter hash', { ...nobody, editTokenHash: 'a' }, 'edit_token_invalid'],
    ['an empty hash', { ...nobody, editTokenHash: '' }, 'edit_token_invalid'],
  ])('editing is refused for %s', (_, caller, code) =>
    expect(() => assertCanEdit(anns, by(caller))).toThrow(expect.objectContaining({ code })),
  );

  it('editing is refused with the edit token of a site that has been claimed', () =>
    expect(() => assertCanEdit(somebodys, by(ann))).toThrow(expect.objectContaining({ code: 'edit_token_invalid' })));

  it('the owner of a claimed site can edit it, even if they also send the old edit token', () => {
    expect(assertCanEdit(somebodys, by(bob))).toBe(somebodys);
    expect(assertCanEdit(somebodys, by({ ...ann, userId: 'usr_bob' }))).toBe(somebodys);
    expect(somebodys).toMatchObject({ editTokenHash: null, expiresAt: null });
  });

  it.each(['owner', 'editor'] as const)('an %s can edit the site', (role) =>
    expect(assertCanEdit(withCarl(added(role)), by(carl))).toMatchObject({ slug: 'amber-otter' }),
  );

  it.each<[string, SiteEvent[]]>([
    ['a stranger who is signed in', []],
    ['a viewer', [added('viewer')]],
    ['an editor who became a viewer', [added('editor'), MemberRoleChanged({ ...carls, role: 'viewer' })]],
    ['a member who was removed', [added('owner'), MemberRemoved(carls)]],
  ])('editing a claimed site is refused for %s', (_, events) =>
    expect(() => assertCanEdit(withCarl(...events), by(carl))).toThrow(expect.objectContaining({ code: 'forbidden' })),
  );

  it('a missing site is reported before credentials are required', () =>
    expect(() => assertCanEdit(site.initial, by(nobody))).toThrow(expect.objectContaining({ code: 'site_not_found' })));
});

describe('assertCanRead', () => {
  it('reading is allowed with the edit token until the site is claimed', () => {
    expect(assertCanRead(anns, by(ann))).toBe(anns);
    expect(() => assertCanRead(somebodys, by(ann))).toThrow(expect.objectContaining({ code: 'edit_token_invalid' }));
  });

  it.each(['owner', 'editor', 'viewer'] as const)('a member with the role %s can read the site', (role) =>
    expect(assertCanRead(withCarl(added(role)), by(carl))).toMatchObject({ slug: 'amber-otter' }),
  );

  it.each<[string, Caller, SiteEvent[], string]>([
    ['a caller without credentials', nobody, [], 'unauthenticated'],
    ['a stranger who is signed in', carl, [], 'forbidden'],
    ['a member who was removed', carl, [added('viewer'), MemberRemoved(carls)], 'forbidden'],
    ['another site’s edit token', stranger, [], 'edit_token_invalid'],
  ])('reading is refused for %s', (_, caller, events, code) =>
    expect(() => assertCanRead(withCarl(...events), by(caller))).toThrow(expect.objectContaining({ code })),
  );
});

describe('assertIsOwner', () => {
  it('the check for owners accepts every owner', () => {
    expect(assertIsOwner(somebodys, by(bob))).toBe(somebodys);
    expect(assertIsOwner(withCarl(added('owner')), by(carl))).toMatchObject({ slug: 'amber-otter' });
  });

  it.each<[string, Caller, SiteEvent[], string]>([
    ['a caller without credentials', nobody, [], 'unauthenticated'],
    ['a stranger who is signed in', carl, [], 'forbidden'],
    ['a viewer', carl, [added('viewer')], 'forbidden'],
    ['an editor', carl, [added('editor')], 'forbidden'],
    [
      'an owner who became an editor',
      carl,
      [added('owner'), MemberRoleChanged({ ...carls, role: 'editor' })],
      'forbidden',
    ],
    ['the edit token of a site that has been claimed', ann, [], 'edit_token_invalid'],
  ])('the check for owners refuses %s', (_, caller, events, code) =>
    expect(() => assertIsOwner(withCarl(...events), by(caller))).toThrow(expect.objectContaining({ code })),
  );

  it('the check for owners refuses everyone while the site has no owner, even with the edit token', () => {
    expect(() => assertIsOwner(anns, by(ann))).toThrow(expect.objectContaining({ code: 'forbidden' }));
    expect(() => assertIsOwner(anns, by(nobody))).toThrow(expect.objectContaining({ code: 'unauthenticated' }));
  });
});

describe('A refused access token or connected app', () => {
  const bobsToken = { id: 'tok_1', kind: 'token', publisherId: null, memberIds: null } as const;
  const app = { id: 'grt_1', kind: 'program', clientName: 'An agent', memberIds: null, role: 'viewer' } as const;

  it('a read-only token or app gets an error that says so, even if it acts for an owner', () => {
    const token = by({ ...bob, delegation: { ...bobsToken, role: 'viewer' } });
    expect(() => assertCanEdit(somebodys, token)).toThrow('This access token can only read the site.');
    expect(() => assertCanEdit(somebodys, by({ ...bob, delegation: app }))).toThrow(
      'This connected app can only read the site.',
    );
  });

  it('an access token is refused with a message that the owner has to sign in', () => {
    const token = by({ ...bob, delegation: { ...bobsToken, role: 'editor' } });
    expect(() => assertIsOwner(somebodys, token)).toThrow(
      'Access tokens can’t do this. Sign in as an owner of the site.',
    );
  });

  it('an access token learns nothing about a site that it has no access to', () => {
    const token = by({ ...bob, delegation: { ...bobsToken, role: 'viewer', memberIds: ['mem_other'] } });
    expect(() => assertCanEdit(somebodys, token)).toThrow('Only owners and editors of this site can do this.');
  });
});

describe('assertCanManage', () => {
  const bobsOwn = { id: 'one_1', role: 'owner', memberIds: null } as const;

  it('an owner, and a connected app that acts for one, can manage the site', () => {
    expect(assertCanManage(somebodys, by(bob))).toBe(somebodys);
    const program = { ...bob, delegation: { ...bobsOwn, kind: 'program', clientName: 'An agent' } } as const;
    expect(assertCanManage(somebodys, by(program))).toBe(somebodys);
  });

  it('an owner’s access token can’t manage the site', () => {
    const script = { ...bob, delegation: { ...bobsOwn, kind: 'token', publisherId: null } } as const;
    expect(assertIsOwner(somebodys, by(script))).toBe(somebodys);
    expect(() => assertCanManage(somebodys, by(script))).toThrow(expect.objectContaining({ code: 'forbidden' }));
  });
});

describe('assertCanDelegate', () => {
  const bobsOwn = { id: 'one_1', role: 'owner', memberIds: null } as const;

  it('an owner can delegate rights, and their membership is returned', () =>
    expect(assertCanDelegate(somebodys, by(bob))).toMatchObject({
      slug: 'amber-otter',
      member: { memberId: 'mem_bob' },
    }));

  it.each<[string, Caller]>([
    [
      'a connected app that acts for an owner',
      { ...bob, delegation: { ...bobsOwn, kind: 'program', clientName: 'An agent' } },
    ],
    ['the access token of an owner', { ...bob, delegation: { ...bobsOwn, kind: 'token', publisherId: null } }],
    ['an editor', carl],
  ])('delegating rights is refused for %s', (_, caller) =>
    expect(() => assertCanDelegate(withCarl(added('editor')), by(caller))).toThrow(
      expect.objectContaining({ code: 'forbidden' }),
    ),
  );
});

describe('The expiry of a site', () => {
  const until = (expiresAt: string | null) => ({ ...assertExists(somebodys, '2026-01-01T00:00:00.000Z'), expiresAt });

  it.each<[string, string | null, string, boolean]>([
    ['before the expiry', '2026-01-02T00:00:00.000Z', '2026-01-01T23:59:59.999Z', false],
    ['at the expiry', '2026-01-02T00:00:00.000Z', '2026-01-02T00:00:00.000Z', true],
    ['after the expiry', '2026-01-02T00:00:00.000Z', '2026-01-02T00:00:00.001Z', true],
    ['without an expiry', null, '2126-01-01T00:00:00.000Z', false],
  ])('a site expires at exactly the time that was set: %s', (_, expiresAt, at, isOver) => {
    expect(hasExpired(until(expiresAt), at)).toBe(isOver);
    if (isOver)
      expect(() => assertExists(until(expiresAt), at)).toThrow(expect.objectContaining({ code: 'site_expired' }));
  });
});
