import { describe, expect, it } from '@jest/globals';
import { canCreateSites, type DelegatedRole, type Delegation, limitRole } from './delegation.js';

const delegation = (role: DelegatedRole, memberIds: readonly string[] | null = null): Delegation => ({
  id: 'grt_1',
  kind: 'program',
  clientName: 'An agent',
  role,
  memberIds,
});

describe('A delegation of a user’s rights to a token or app', () => {
  it.each([
    ['owner', 'owner', 'owner'],
    ['owner', 'editor', 'editor'],
    ['owner', 'viewer', 'viewer'],
    ['editor', 'owner', 'editor'],
    ['editor', 'editor', 'editor'],
    ['viewer', 'owner', 'viewer'],
  ] as const)('a user with the role %s who delegates up to the role %s gives the role %s', (own, most, left) => {
    expect(limitRole(delegation(most), { memberId: 'mem_1', role: own })).toBe(left);
  });

  it('the role is not limited if there is no delegation', () => {
    expect(limitRole(undefined, { memberId: 'mem_1', role: 'owner' })).toBe('owner');
  });

  it('a delegation for certain sites gives no role on other sites', () => {
    expect(limitRole(delegation('owner', ['mem_1']), { memberId: 'mem_1', role: 'editor' })).toBe('editor');
    expect(limitRole(delegation('owner', ['mem_1']), { memberId: 'mem_2', role: 'owner' })).toBeNull();
    expect(limitRole(delegation('owner', []), { memberId: 'mem_2', role: 'owner' })).toBeNull();
  });

  it('a delegation allows creating sites only if it allows publishing and covers all sites', () => {
    expect(canCreateSites(delegation('editor'))).toBe(true);
    expect(canCreateSites(delegation('owner'))).toBe(true);
    expect(canCreateSites(delegation('viewer'))).toBe(false);
    expect(canCreateSites(delegation('owner', ['mem_1']))).toBe(false);
  });
});
