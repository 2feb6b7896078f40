import { describe, expect, it } from '@jest/globals';
import { catalogue } from '../catalogue.js';
import { MemberAdded, SiteClaimed } from './member.events.js';

const member = SiteClaimed.example;
const { inviteId } = MemberAdded.example;

describe('Member events', () => {
  it('member events can record an owner who was not invited', () =>
    expect(catalogue.write('MemberAdded', { ...member, role: 'owner', inviteId: null })).toBe(1));

  it.each(['MemberInvited', 'MemberAdded', 'SiteClaimed'])('events of the type %s contain no email address', (type) =>
    expect(() => catalogue.write(type, { ...member, inviteId, role: 'editor', email: 'ann@example.org' })).toThrow(
      /email/,
    ),
  );
});
