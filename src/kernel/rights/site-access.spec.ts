import { describe, expect, it } from '@jest/globals';
import type { Caller } from '../command-context.js';
import { assertAvailable, determineAccess, refuseAccess, type SiteFacts } from './site-access.js';

const AT = '2026-11-26T12:00:00.000Z';
const OWN = 'a'.repeat(64);

const open: SiteFacts = {
  status: 'live',
  visibility: 'public',
  expiresAt: null,
  takenDown: false,
  editTokenHash: null,
  membership: null,
};
const asMember = (role: 'viewer' | 'editor' | 'owner', site: Partial<SiteFacts> = {}): SiteFacts => ({
  ...open,
  ...site,
  membership: { memberId: 'mem_1', role },
});
const anonymous = { ...open, editTokenHash: OWN };

const nobody: Caller = { userId: null, editTokenHash: null };
const user: Caller = { userId: 'usr_1', editTokenHash: null };
const withToken: Caller = { userId: null, editTokenHash: OWN };
const withOtherToken: Caller = { userId: null, editTokenHash: 'b'.repeat(64) };
const viaApp = (role: 'viewer' | 'editor' | 'owner', memberIds: readonly string[] | null = null): Caller => ({
  ...user,
  delegation: { kind: 'program', id: 'grt_1', clientName: 'An app', role, memberIds },
});

describe('Access to a site', () => {
  it.each<[string, SiteFacts, Caller, { canRead: boolean; canEdit: boolean; isOwner: boolean }]>([
    ['a stranger', open, nobody, { canRead: false, canEdit: false, isOwner: false }],
    ['a signed-in stranger', open, user, { canRead: false, canEdit: false, isOwner: false }],
    ['a viewer', asMember('viewer'), user, { canRead: true, canEdit: false, isOwner: false }],
    ['an editor', asMember('editor'), user, { canRead: true, canEdit: true, isOwner: false }],
    ['an owner', asMember('owner'), user, { canRead: true, canEdit: true, isOwner: true }],
    ['a caller with the edit token', anonymous, withToken, { canRead: true, canEdit: true, isOwner: false }],
    ['a caller with another edit token', anonymous, withOtherToken, { canRead: false, canEdit: false, isOwner: false }],
    [
      'a caller with the edit token of a claimed site',
      open,
      withToken,
      { canRead: false, canEdit: false, isOwner: false },
    ],
    [
      'an owner’s app limited to editing',
      asMember('owner'),
      viaApp('editor'),
      { canRead: true, canEdit: true, isOwner: false },
    ],
    [
      'a viewer’s app with full rights',
      asMember('viewer'),
      viaApp('owner'),
      { canRead: true, canEdit: false, isOwner: false },
    ],
    [
      'an app for other sites',
      asMember('owner'),
      viaApp('owner', ['mem_2']),
      { canRead: false, canEdit: false, isOwner: false },
    ],
  ])('access to a site is determined for %s', (_, site, caller, rights) =>
    expect(determineAccess(site, caller, AT)).toMatchObject(rights),
  );

  it.each(['password', 'members'] as const)(
    'a site is hidden from everyone without a role if its visibility is %s',
    (visibility) => {
      const hidden = { ...open, visibility };
      expect(determineAccess(hidden, user, AT)).toMatchObject({ canSee: false, unavailable: 'site_not_found' });
      expect(determineAccess(asMember('viewer', { visibility }), user, AT)).toMatchObject({
        canSee: true,
        unavailable: null,
      });
      expect(determineAccess(asMember('viewer', { visibility }), viaApp('owner', ['mem_2']), AT).canSee).toBe(false);
    },
  );

  it.each<[Partial<SiteFacts>, string | null]>([
    [{ status: 'unknown' }, 'site_not_found'],
    [{ status: 'deleted' }, 'site_not_found'],
    [{ status: 'expired' }, 'site_expired'],
    [{ expiresAt: '2026-11-26T12:00:00.001Z' }, null],
    [{ expiresAt: AT }, 'site_expired'],
    [{ expiresAt: AT, takenDown: true }, 'taken_down'],
    [{ status: 'expired', takenDown: true }, 'taken_down'],
    [{ takenDown: true }, 'taken_down'],
    [{ takenDown: true, visibility: 'members' }, 'site_not_found'],
  ])('a visitor of a site with the properties %j gets this error: %s', (facts, unavailable) => {
    const access = determineAccess({ ...open, ...facts }, nobody, AT);
    expect(access.unavailable).toBe(unavailable);
    const check = () => assertAvailable(access);
    if (unavailable === null) expect(check).not.toThrow();
    else expect(check).toThrow(expect.objectContaining({ code: unavailable }));
  });

  it.each<[string, SiteFacts, Caller, string]>([
    ['an anonymous caller', open, nobody, 'unauthenticated'],
    ['a signed-in stranger', open, user, 'forbidden'],
    ['a caller with another edit token', anonymous, withOtherToken, 'edit_token_invalid'],
    ['a caller with the edit token of a claimed site', open, withToken, 'edit_token_invalid'],
  ])('access to a site is refused to %s', (_, site, caller, code) =>
    expect(() => refuseAccess(site, caller, 'Only owners can do this.')).toThrow(expect.objectContaining({ code })),
  );
});
