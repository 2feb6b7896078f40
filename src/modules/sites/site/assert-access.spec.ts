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
} from './assert-access.decide.js';
import { site } from './site.state.js';

const anns = stateAfter(site, [created, deployed(1)]);
const bobs = { memberId: 'mem_bob', userId: 'usr_bob' };
const somebodys = stateAfter(site, [created, deployed(1), SiteClaimed(bobs)]);
const carl: Caller = { ...nobody, userId: 'usr_carl' };
const carls = { memberId: 'mem_carl', userId: 'usr_carl' };
const added = (role: 'owner' | 'editor' | 'viewer') => MemberAdded({ ...carls, role, inviteId: null });
const withCarl = (...events: SiteEvent[]) => stateAfter(site, [created, deployed(1), SiteClaimed(bobs), ...events]);

describe('Who may edit a site', () => {
  it('lets in whoever has its edit token', () => expect(assertCanEdit(anns, by(ann))).toBe(anns));

  it.each<[string, Caller, string]>([
    ['who shows nothing who they are', nobody, 'unauthenticated'],
    ['another site’s token', stranger, 'edit_token_invalid'],
    [
      'a hash that differs in its last digit',
      { ...nobody, editTokenHash: digestOf('a').replace(/0$/, '1') },
      'edit_token_invalid',
    ],
    ['a shorter hash', { ...nobody, editTokenHash: 'a' }, 'edit_token_invalid'],
    ['an empty hash', { ...nobody, editTokenHash: '' }, 'edit_token_invalid'],
  ])('asks or turns away %s', (_, caller, code) =>
    expect(() => assertCanEdit(anns, by(caller))).toThrow(expect.objectContaining({ code })),
  );

  it('accepts no edit token for a site that belongs to somebody', () =>
    expect(() => assertCanEdit(somebodys, by(ann))).toThrow(expect.objectContaining({ code: 'edit_token_invalid' })));

  it('lets in its owner, and no longer whoever had its edit token, once it was claimed', () => {
    expect(assertCanEdit(somebodys, by(bob))).toBe(somebodys);
    expect(assertCanEdit(somebodys, by({ ...ann, userId: 'usr_bob' }))).toBe(somebodys);
    expect(somebodys).toMatchObject({ editTokenHash: null, expiresAt: null });
  });

  it.each(['owner', 'editor'] as const)('lets in an %s', (role) =>
    expect(assertCanEdit(withCarl(added(role)), by(carl))).toMatchObject({ slug: 'amber-otter' }),
  );

  it.each<[string, SiteEvent[]]>([
    ['a stranger who is signed in', []],
    ['a viewer', [added('viewer')]],
    ['an editor who became a viewer', [added('editor'), MemberRoleChanged({ ...carls, role: 'viewer' })]],
    ['a member who was removed', [added('owner'), MemberRemoved(carls)]],
  ])('forbids it to %s', (_, events) =>
    expect(() => assertCanEdit(withCarl(...events), by(carl))).toThrow(expect.objectContaining({ code: 'forbidden' })),
  );

  it('says that there is no such site before it asks who wants to know', () =>
    expect(() => assertCanEdit(site.initial, by(nobody))).toThrow(expect.objectContaining({ code: 'site_not_found' })));
});

describe('Who may look behind a site', () => {
  it('is whoever has its edit token, while it is nobody’s', () => {
    expect(assertCanRead(anns, by(ann))).toBe(anns);
    expect(() => assertCanRead(somebodys, by(ann))).toThrow(expect.objectContaining({ code: 'edit_token_invalid' }));
  });

  it.each(['owner', 'editor', 'viewer'] as const)('is an %s of it', (role) =>
    expect(assertCanRead(withCarl(added(role)), by(carl))).toMatchObject({ slug: 'amber-otter' }),
  );

  it.each<[string, Caller, SiteEvent[], string]>([
    ['who shows nothing who they are', nobody, [], 'unauthenticated'],
    ['a stranger who is signed in', carl, [], 'forbidden'],
    ['a member who was removed', carl, [added('viewer'), MemberRemoved(carls)], 'forbidden'],
    ['another site’s token', stranger, [], 'edit_token_invalid'],
  ])('is not %s', (_, caller, events, code) =>
    expect(() => assertCanRead(withCarl(...events), by(caller))).toThrow(expect.objectContaining({ code })),
  );
});

describe('Who may do what is the owners’ alone', () => {
  it('is an owner', () => {
    expect(assertIsOwner(somebodys, by(bob))).toBe(somebodys);
    expect(assertIsOwner(withCarl(added('owner')), by(carl))).toMatchObject({ slug: 'amber-otter' });
  });

  it.each<[string, Caller, SiteEvent[], string]>([
    ['who shows nothing who they are', nobody, [], 'unauthenticated'],
    ['a stranger who is signed in', carl, [], 'forbidden'],
    ['a viewer', carl, [added('viewer')], 'forbidden'],
    ['an editor', carl, [added('editor')], 'forbidden'],
    [
      'an owner who became an editor',
      carl,
      [added('owner'), MemberRoleChanged({ ...carls, role: 'editor' })],
      'forbidden',
    ],
    ['whoever had the edit token', ann, [], 'edit_token_invalid'],
  ])('is not %s', (_, caller, events, code) =>
    expect(() => assertIsOwner(withCarl(...events), by(caller))).toThrow(expect.objectContaining({ code })),
  );

  it('is nobody while the site is nobody’s, its edit token or not', () => {
    expect(() => assertIsOwner(anns, by(ann))).toThrow(expect.objectContaining({ code: 'forbidden' }));
    expect(() => assertIsOwner(anns, by(nobody))).toThrow(expect.objectContaining({ code: 'unauthenticated' }));
  });
});

describe('Who may decide of a site what a script may not', () => {
  const bobsOwn = { id: 'one_1', role: 'owner', memberIds: null } as const;

  it('is its owner, in person and by a program that they let in', () => {
    expect(assertCanManage(somebodys, by(bob))).toBe(somebodys);
    const program = { ...bob, delegation: { ...bobsOwn, kind: 'program', clientName: 'An agent' } } as const;
    expect(assertCanManage(somebodys, by(program))).toBe(somebodys);
  });

  it('is not a script with an owner’s token', () => {
    const script = { ...bob, delegation: { ...bobsOwn, kind: 'token', publisherId: null } } as const;
    expect(assertIsOwner(somebodys, by(script))).toBe(somebodys);
    expect(() => assertCanManage(somebodys, by(script))).toThrow(expect.objectContaining({ code: 'forbidden' }));
  });
});

describe('Who may let others act for a site', () => {
  const bobsOwn = { id: 'one_1', role: 'owner', memberIds: null } as const;

  it('is its owner in person, whose membership is told', () =>
    expect(assertCanDelegate(somebodys, by(bob))).toMatchObject({
      slug: 'amber-otter',
      member: { memberId: 'mem_bob' },
    }));

  it.each<[string, Caller]>([
    ['a program that they let in', { ...bob, delegation: { ...bobsOwn, kind: 'program', clientName: 'An agent' } }],
    ['a script with their token', { ...bob, delegation: { ...bobsOwn, kind: 'token', publisherId: null } }],
    ['an editor', carl],
  ])('is not %s', (_, caller) =>
    expect(() => assertCanDelegate(withCarl(added('editor')), by(caller))).toThrow(
      expect.objectContaining({ code: 'forbidden' }),
    ),
  );
});

describe('A site that has a time', () => {
  const until = (expiresAt: string | null) => ({ ...assertExists(somebodys, '2026-01-01T00:00:00.000Z'), expiresAt });

  it.each<[string, string | null, string, boolean]>([
    ['before it', '2026-01-02T00:00:00.000Z', '2026-01-01T23:59:59.999Z', false],
    ['at it', '2026-01-02T00:00:00.000Z', '2026-01-02T00:00:00.000Z', true],
    ['after it', '2026-01-02T00:00:00.000Z', '2026-01-02T00:00:00.001Z', true],
    ['that never comes', null, '2126-01-01T00:00:00.000Z', false],
  ])('is over or not %s', (_, expiresAt, at, isOver) => {
    expect(hasExpired(until(expiresAt), at)).toBe(isOver);
    if (isOver)
      expect(() => assertExists(until(expiresAt), at)).toThrow(expect.objectContaining({ code: 'site_expired' }));
  });
});
