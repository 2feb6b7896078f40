import { describe, expect, it } from '@jest/globals';
import { created, deployed, rolledBack, server, staged } from '../../../test/support/events/site-examples.js';
import { expectNone } from '../../../test/support/jest/expect-none.js';
import type { Names } from '../summary-words.js';
import { InviteRevoked, MemberInvited, MemberRemoved, MemberRoleChanged, SiteClaimed } from './member.events.js';
import { SiteServerCrashed } from './server.events.js';
import { siteEvents } from './site.events.js';
import { summarizeEvent } from './site-summary.js';
import { PublisherRemoved } from './token.events.js';

const actor = { kind: 'user', id: 'usr_bob' };

const names: Names = {
  person: (userId) => (userId === 'usr_bob' ? 'Bob' : 'a member'),
  script: ({ publisher }) => (publisher ? 'CI “owner/name”' : 'CI “nightly”'),
  deploy: (deployId) => (deployId === 'dep_1' ? 1 : null),
  invited: (inviteId) => (inviteId === 'inv_1' ? 'ann@example.org' : null),
};

describe('The summary of an event', () => {
  it.each([
    [created, 'Created as amber-otter'],
    [deployed(1), 'Deploy 1: 1 file, 100 bytes'],
    [
      { ...deployed(2), data: { ...deployed(2).data, message: 'second', files: 1, bytes: 1 } },
      'Deploy 2 “second”: 1 file, 1 byte',
    ],
    [{ ...deployed(2), data: { ...deployed(2).data, bytes: 52_428_800 } }, 'Deploy 2: 2 files, 50 MiB'],
    [staged(2), 'Deploy 2 staged: 2 files, 200 bytes'],
    [server(1), 'Deploy 1: a server, 100 bytes'],
    [rolledBack(1, 2), 'Rolled back to deploy 1'],
    [SiteClaimed({ memberId: 'mem_1', userId: 'usr_bob' }), 'Claimed by Bob'],
    [
      MemberInvited({ inviteId: 'inv_1', role: 'editor', expiresAt: '2026-12-01T00:00:00.000Z', invitedBy: null }),
      'Invited ann@example.org as editor',
    ],
    [
      MemberInvited({ inviteId: 'inv_2', role: 'viewer', expiresAt: '2026-12-01T00:00:00.000Z', invitedBy: null }),
      'Invited someone as viewer',
    ],
    [InviteRevoked({ inviteId: 'inv_1' }), 'Revoked the invite for ann@example.org'],
    [InviteRevoked({ inviteId: 'inv_2' }), 'Revoked the invite'],
    [MemberRoleChanged({ memberId: 'mem_2', userId: 'usr_carl', role: 'owner' }), 'A member is now an owner'],
    [MemberRemoved({ memberId: 'mem_2', userId: 'usr_carl' }), 'A member was removed'],
    [MemberRemoved({ memberId: 'mem_1', userId: 'usr_bob' }), 'Bob left'],
    [PublisherRemoved({ publisherId: 'pub_1' }), 'Trusted publisher CI “owner/name” removed'],
    [SiteServerCrashed({ deployId: 'dep_1', reason: 'exit code 1' }), 'The server for deploy 1 crashed: exit code 1'],
  ])('describes %j in one line', ({ type, data }, summary) =>
    expect(summarizeEvent({ type, data, actor }, names)).toBe(summary),
  );

  it('the summary contains the deploy’s number even if an older event contains only its ID', () => {
    const { type, data } = rolledBack(1, 2);
    expect(summarizeEvent({ type, data: { ...data, number: null }, actor }, names)).toBe('Rolled back to deploy 1');
  });

  it('names the connected app that acted for a user', () => {
    const { type, data } = rolledBack(1, 2);
    expect(summarizeEvent({ type, data, actor: { ...actor, client: 'Claude', grant: 'grt_1' } })).toBe(
      'Rolled back to deploy 1, by Claude',
    );
  });

  it('every event type has a summary', () => {
    expectNone(
      siteEvents.filter(({ meaning }) => !meaning.summary).map(({ type }) => type),
      'In src/events/site/, define these types with `siteEventType` and a `summary`',
    );
  });

  it('an event has the same summary in older schema versions as in the newest', () => {
    const { replaced, deployId, manifest } = rolledBack(1, 2).data;
    const data = { replaced, deployId, manifest };
    expect(summarizeEvent({ type: 'SiteRolledBack', schema: 1, data, actor }, names)).toBe('Rolled back to deploy 1');
  });

  it('the summary of an event from a newer version of the product is its type', () => {
    expect(summarizeEvent({ type: 'SiteRepainted', data: { colour: 'red' }, actor })).toBe('SiteRepainted');
    expect(summarizeEvent({ type: 'SiteCreated', schema: 2, data: { name: 'x' }, actor })).toBe('SiteCreated');
  });
});
