import { describe, expect, it } from '@jest/globals';
import { canCreateSites, type DelegatedRole, type Delegation, limitRole } from './delegation.js';

const delegation = (role: DelegatedRole, memberIds: readonly string[] | null = null): Delegation => ({
  id: 'grt_1',
  kind: 'program',
  clientName: 'An agent',
  role,
  memberIds,
});

describe('A delegation', () => {
  it.each([
    ['owner', 'owner', 'owner'],
    ['owner', 'editor', 'editor'],
    ['owner', 'viewer', 'viewer'],
    ['editor', 'owner', 'editor'],
    ['editor', 'editor', 'editor'],
    ['viewer', 'owner', 'viewer'],
  ] as const)('of a user with the role %s, limited to %s, gives the role %s', (own, most, left) => {
    expect(limitRole(delegation(most), { memberId: 'mem_1', role: own })).toBe(left);
  });

  it('does not limit the role if it is null', () => {
    expect(limitRole(undefined, { memberId: 'mem_1', role: 'owner' })).toBe('owner');
  });

  it('for certain sites gives no role on other sites', () => {
    expect(limitRole(delegation('owner', ['mem_1']), { memberId: 'mem_1', role: 'editor' })).toBe('editor');
    expect(limitRole(delegation('owner', ['mem_1']), { memberId: 'mem_2', role: 'owner' })).toBeNull();
    expect(limitRole(delegation('owner', []), { memberId: 'mem_2', role: 'owner' })).toBeNull();
  });

  it('allows creating sites only if it allows publishing and is not limited to certain sites', () => {
    expect(canCreateSites(delegation('editor'))).toBe(true);
    expect(canCreateSites(delegation('owner'))).toBe(true);
    expect(canCreateSites(delegation('viewer'))).toBe(false);
    expect(canCreateSites(delegation('owner', ['mem_1']))).toBe(false);
  });
});
