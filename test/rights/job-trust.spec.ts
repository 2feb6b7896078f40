import { describe, expect, it } from '@jest/globals';
import { MemberAdded, MemberRemoved, MemberRoleChanged, SiteClaimed } from '../../src/events/site/member.events.js';
import { SiteRepositoryLinked, SiteRepositoryUnlinked } from '../../src/events/site/repository.events.js';
import { SiteDeployed, type SiteEvent, SiteJobQueued, SiteTakenDown } from '../../src/events/site/site.events.js';
import type { Caller } from '../../src/kernel/command-context.js';
import type { Delegation } from '../../src/kernel/rights/delegation.js';
import { type JobRight, toJobRight } from '../../src/kernel/rights/job-right.js';
import { decideChangeRole, decideRemove } from '../../src/modules/sites/people/members/members.decide.js';
import { createJobStarter, isTrusted, whyRightEnded } from '../../src/modules/sites/publish/jobs/job-right.rule.js';
import {
  decideLinkRepository,
  decideUnlinkRepository,
} from '../../src/modules/sites/publish/jobs/link-repository.decide.js';
import { decidePublishJob } from '../../src/modules/sites/publish/jobs/publish-job.decide.js';
import {
  decideQueueAgain,
  decideQueueDueBuild,
  decideQueueJob,
} from '../../src/modules/sites/publish/jobs/queue-job.decide.js';
import { decideRollback } from '../../src/modules/sites/publish/rollback/rollback.decide.js';
import { decideDeleteSecret, decideSetSecret } from '../../src/modules/sites/settings/secrets/secret.decide.js';
import { receivesSecrets } from '../../src/modules/sites/site/receives-secrets.rule.js';
import { type LiveSite, site } from '../../src/modules/sites/site/state/site.state.js';
import { given, stateAfter } from '../support/events/given-when.js';
import {
  ann,
  bob,
  by,
  created,
  deployed,
  digestOf,
  noon,
  rolledBack,
  server,
} from '../support/events/site-examples.js';

const carl = { memberId: 'mem_carl', userId: 'usr_carl' };
const repository = {
  url: 'https://example.org/a/b',
  branch: 'main',
  rootDirectory: null,
  plan: {},
  schedule: '0 3 * * *',
  skipUnchanged: false,
};
const source = { url: repository.url, ref: 'main', rootDirectory: null, plan: {} };
const owned = [created, SiteClaimed({ memberId: 'mem_bob', userId: 'usr_bob' })];
const withEditor = [...owned, MemberAdded({ ...carl, role: 'editor', inviteId: null })];
const linked = SiteRepositoryLinked({ ...repository, linkId: 'lnk_1', memberId: 'mem_bob' });
const editor: Caller = { editTokenHash: null, userId: carl.userId };
const through = (delegation: Delegation): Caller => ({ ...bob, delegation });
const token: Delegation = { kind: 'token', id: 'tok_1', publisherId: null, role: 'owner', memberIds: null };
const app: Delegation = { kind: 'program', id: 'grt_1', clientName: 'An app', role: 'owner', memberIds: null };

const rightOf = (caller: Caller, history: readonly SiteEvent[], linkId: string | null = null): JobRight =>
  toJobRight(createJobStarter(stateAfter(site, history), by(caller), linkId), {
    kind: caller.userId === null ? 'anonymous' : 'user',
    ...(caller.userId !== null && { id: caller.userId }),
  });
const endAfter = (right: JobRight, ...history: SiteEvent[]) => whyRightEnded(stateAfter(site, history), right);

describe('Trusting jobs with secrets', () => {
  it.each<[string, Caller, readonly SiteEvent[], boolean]>([
    ['an owner', bob, withEditor, true],
    ['an editor', editor, withEditor, false],
    ['a token of an owner', through(token), withEditor, false],
    ['a connected app of an owner', through(app), withEditor, false],
    ['a trusted publisher', through({ ...token, publisherId: 'pub_1' }), withEditor, false],
    ['an edit token', ann, [created], false],
  ])('whether a job is trusted depends on who starts it: %s', (_, caller, history, expected) => {
    const state = stateAfter(site, [...history, linked]);
    expect(isTrusted(state, rightOf(caller, history))).toBe(expected);
    const ofLink = caller === ann ? expected : true;
    expect(isTrusted(state, rightOf(caller, [...history, linked], 'lnk_1'))).toBe(ofLink);
  });

  it.each([
    ['owner', true],
    ['editor', false],
  ] as const)('a job queued before trust was recorded is trusted if its starter is an owner: %s', (role, expected) => {
    const history = [...owned, MemberAdded({ ...carl, role, inviteId: null })];
    const starter = { by: { kind: 'membership' as const, id: carl.memberId }, memberId: carl.memberId };
    const right = toJobRight({ ...starter, trust: null, linkId: null }, { kind: 'user', id: carl.userId });
    expect(isTrusted(stateAfter(site, history), right)).toBe(expected);
    expect(endAfter(right, ...history)).toBeNull();
  });

  it('an owner’s job ends when the owner is demoted to editor, but an editor’s job continues', () => {
    const asOwner = [...owned, MemberAdded({ ...carl, role: 'owner', inviteId: null })];
    const demoted = MemberRoleChanged({ ...carl, role: 'editor' });
    expect(endAfter(rightOf(editor, asOwner), ...asOwner, demoted)).toBe('owner_demoted');
    expect(endAfter(rightOf(editor, withEditor), ...withEditor, demoted)).toBeNull();
  });

  it('a build of the linked repository ends when another repository is linked, but not when the schedule changes', () => {
    const history = [...withEditor, linked];
    const right = rightOf(editor, history, 'lnk_1');
    expect(endAfter(right, ...history)).toBeNull();
    const rescheduled = SiteRepositoryLinked({ ...linked.data, schedule: null });
    expect(endAfter(right, ...history, rescheduled)).toBeNull();
    expect(endAfter(right, ...history, SiteRepositoryUnlinked({ linkId: 'lnk_1' }))).toBe('repository_unlinked');
    expect(endAfter(right, ...history, SiteRepositoryLinked({ ...linked.data, linkId: 'lnk_2' }))).toBe(
      'repository_unlinked',
    );
  });

  it('a job’s deploy records whether the job was trusted', () => {
    const content = {
      ...{ deployId: 'dep_9', manifest: digestOf('9'), files: 1, bytes: 1, source: 'repo' as const, message: null },
      ...{ jobId: 'job_1', commit: '1'.repeat(40), provenance: digestOf('f'), program: null, client: null },
    };
    for (const [caller, trusted] of [
      [bob, true],
      [editor, false],
    ] as const) {
      const right = rightOf(caller, withEditor);
      const command = { context: { at: noon }, content, right, isByTokenOfSite: false, renewedExpiry: null };
      given(site, ...withEditor)
        .when(decidePublishJob, command)
        .records(SiteDeployed({ ...content, number: 1, replaced: null, trusted }));
    }
  });
});

describe('Rerunning a job', () => {
  const ofLink = SiteJobQueued({ jobId: 'job_1', source, linkId: 'lnk_1', dueAt: null });
  const again = { context: by(editor), jobId: 'job_2' };

  it('a rerun counts as a build of the linked repository only while that repository is linked', () => {
    given(site, ...withEditor, linked, ofLink)
      .when(decideQueueAgain, again)
      .records(SiteJobQueued({ ...ofLink.data, jobId: 'job_2' }));
    given(site, ...withEditor, linked, ofLink, SiteRepositoryUnlinked({ linkId: 'lnk_1' }))
      .when(decideQueueAgain, again)
      .records(SiteJobQueued({ ...ofLink.data, jobId: 'job_2', linkId: null }));
  });
});

describe('Building the linked repository', () => {
  const command = { context: by(editor), jobId: 'job_1', source, linkId: 'lnk_1', create: null };

  it('everyone who can deploy the site can queue a build of the linked repository', () =>
    given(site, ...withEditor, linked)
      .when(decideQueueJob, command)
      .records(SiteJobQueued({ jobId: 'job_1', source, linkId: 'lnk_1', dueAt: null })));

  it('a build of the linked repository is refused if another repository was linked in the meantime', () =>
    given(site, ...withEditor, SiteRepositoryLinked({ ...linked.data, linkId: 'lnk_2' }))
      .when(decideQueueJob, command)
      .refuses('conflict'));
});

describe('Scheduled builds', () => {
  const dueAt = '2026-11-20T03:00:00.000Z';
  const command = { context: { at: noon, actor: { kind: 'system' as const } }, jobId: 'job_1', dueAt };
  const queued = SiteJobQueued({ jobId: 'job_1', source, linkId: 'lnk_1', dueAt });

  it('a build is queued only once per scheduled time', () => {
    given(site, ...owned, linked)
      .when(decideQueueDueBuild, command)
      .records(queued);
    given(site, ...owned, linked, queued)
      .when(decideQueueDueBuild, { ...command, jobId: 'job_2' })
      .recordsNothing();
    given(site, ...owned, linked, queued)
      .when(decideQueueDueBuild, { ...command, jobId: 'job_2', dueAt: '2026-11-20T04:00:00.000Z' })
      .records(SiteJobQueued({ ...queued.data, jobId: 'job_2', dueAt: '2026-11-20T04:00:00.000Z' }));
  });

  it.each<[string, SiteEvent[]]>([
    ['without a linked repository', owned],
    ['without a schedule', [...owned, SiteRepositoryLinked({ ...linked.data, schedule: null })]],
    ['that was taken down', [...owned, linked, SiteTakenDown({ reason: 'x' })]],
  ])('no scheduled build is queued for a site %s', (_, history) =>
    given(site, ...history)
      .when(decideQueueDueBuild, command)
      .recordsNothing(),
  );
});

describe('Linking a repository', () => {
  const command = { context: by(bob), repository, linkId: 'lnk_1' };

  it('linking a repository records the owner’s membership, and repeating the request records nothing', () => {
    given(site, ...owned)
      .when(decideLinkRepository, command)
      .records(linked);
    given(site, ...owned, linked)
      .when(decideLinkRepository, { ...command, linkId: 'lnk_2' })
      .recordsNothing();
  });

  it('a link keeps its ID if only its schedule changes, and gets a new ID if the build changes', () => {
    const daily = { ...repository, schedule: null };
    given(site, ...owned, linked)
      .when(decideLinkRepository, { ...command, repository: daily, linkId: 'lnk_2' })
      .records(SiteRepositoryLinked({ ...linked.data, schedule: null }));
    const folder = { ...repository, rootDirectory: 'site' };
    given(site, ...owned, linked)
      .when(decideLinkRepository, { ...command, repository: folder, linkId: 'lnk_2' })
      .records(SiteRepositoryLinked({ ...linked.data, rootDirectory: 'site', linkId: 'lnk_2' }));
  });

  it.each<[string, Caller, 'forbidden']>([
    ['an editor', editor, 'forbidden'],
    ['a token of an owner', through(token), 'forbidden'],
    ['a connected app of an owner', through(app), 'forbidden'],
  ])('%s can’t link a repository', (_, caller, code) => {
    given(site, ...withEditor)
      .when(decideLinkRepository, { ...command, context: by(caller) })
      .refuses(code);
    given(site, ...withEditor, linked)
      .when(decideUnlinkRepository, { context: by(caller) })
      .refuses(code);
  });

  it('an edit token can’t link a repository', () =>
    given(site, created)
      .when(decideLinkRepository, { ...command, context: by(ann) })
      .refuses('forbidden'));

  it('unlinking a repository twice records only one event', () => {
    const unlinked = SiteRepositoryUnlinked({ linkId: 'lnk_1' });
    given(site, ...owned, linked)
      .when(decideUnlinkRepository, { context: by(bob) })
      .records(unlinked);
    given(site, ...owned, linked, unlinked)
      .when(decideUnlinkRepository, { context: by(bob) })
      .recordsNothing();
  });

  it('a repository is unlinked when the owner who linked it is demoted or removed', () => {
    const history = [
      ...owned,
      MemberAdded({ ...carl, role: 'owner', inviteId: null }),
      SiteRepositoryLinked({ ...linked.data, memberId: carl.memberId }),
    ];
    const unlinked = SiteRepositoryUnlinked({ linkId: 'lnk_1' });
    given(site, ...history)
      .when(decideChangeRole, { context: by(bob), memberId: carl.memberId, role: 'editor' })
      .records(MemberRoleChanged({ ...carl, role: 'editor' }), unlinked);
    given(site, ...history)
      .when(decideRemove, { context: by(bob), memberId: carl.memberId })
      .records(MemberRemoved(carl), unlinked);
  });
});

describe('Secrets of a site', () => {
  it('an access token can’t change secrets', () => {
    const context = by(through(token));
    given(site, ...owned)
      .when(decideSetSecret, { context, name: 'KEY', version: 1 })
      .refuses('forbidden');
    given(site, ...owned)
      .when(decideDeleteSecret, { context, name: 'KEY' })
      .refuses('forbidden');
  });
});

describe('The server of a deploy', () => {
  const older = (number: number, replaced: string | null = null) => server(number, replaced);
  const built = (number: number, trusted: boolean, replaced: string | null = null) =>
    SiteDeployed({ ...server(number, replaced).data, trusted });
  const receiving = (history: readonly SiteEvent[], deployId: string) =>
    receivesSecrets(stateAfter(site, history) as LiveSite, deployId);
  const olderRollback = (to: number, from: number) => {
    const { data, ...rest } = rolledBack(to, from);
    return { ...rest, data: { ...data, trusted: null } };
  };

  it.each<[string, readonly SiteEvent[], string, boolean | null]>([
    ['a trusted deploy', [created, built(1, true)], 'dep_1', true],
    ['an untrusted deploy', [created, built(1, false)], 'dep_1', false],
    ['a deploy whose trust is not recorded yet', [created], 'dep_1', null],
    ['an old deploy that was live', [created, older(1), older(2, 'dep_1')], 'dep_2', true],
    ['an old deploy that had been replaced', [created, older(1), older(2, 'dep_1')], 'dep_1', false],
    [
      'an old deploy that had been rolled back to',
      [created, older(1), older(2, 'dep_1'), olderRollback(1, 2)],
      'dep_1',
      true,
    ],
    [
      'an old deploy that is rolled back to now',
      [created, older(1), older(2, 'dep_1'), rolledBack(1, 2)],
      'dep_1',
      false,
    ],
    [
      'an old deploy that is rolled back from now',
      [created, older(1), older(2, 'dep_1'), rolledBack(1, 2)],
      'dep_2',
      true,
    ],
    [
      'an old deploy that is rolled back to after another deploy',
      [created, older(1), deployed(2, 'dep_1'), rolledBack(1, 2)],
      'dep_1',
      false,
    ],
    ['a trusted deploy that was replaced', [created, built(1, true), built(2, false, 'dep_1')], 'dep_1', true],
  ])(
    'a server receives secrets if its deploy is trusted (“old” means before trust was recorded): %s',
    (_, history, deployId, expected) => expect(receiving(history, deployId)).toBe(expected),
  );

  it('a rollback to a trusted deploy is recorded as trusted, so the server receives secrets again', () => {
    const command = { context: by(ann), to: 'previous' as const, rollbackId: 'rbk_1_2', ifRevision: null };
    const back = rolledBack(1, 2);
    given(site, created, built(1, true), built(2, false, 'dep_1'))
      .when(decideRollback, command)
      .records({ ...back, data: { ...back.data, program: { kind: 'next' }, trusted: true } });
  });
});
