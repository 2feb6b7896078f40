import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CommandBus } from '@nestjs/cqrs';
import type { Repository } from 'typeorm';
import type { OAuthGrants } from '../../src/accounts/grants/oauth-grants.js';
import type { SiteNetworks } from '../../src/accounts/shares/site-networks.js';
import type { AccessTokenStore } from '../../src/accounts/tokens/access-tokens.js';
import { RandomIds } from '../../src/adapters/random-ids.js';
import { JobQueued, jobStream } from '../../src/events/job.events.js';
import { MemberAdded, MemberRemoved, MemberRoleChanged, SiteClaimed } from '../../src/events/site/member.events.js';
import { SiteDeleted } from '../../src/events/site/settings.events.js';
import { type SiteEvent, SiteTakenDown, siteStream } from '../../src/events/site/site.events.js';
import {
  AccessTokenIssued,
  AccessTokenRevoked,
  PublisherRemoved,
  PublisherTrusted,
} from '../../src/events/site/token.events.js';
import type { Caller } from '../../src/kernel/command-context.js';
import type { Actor } from '../../src/kernel/event-store.js';
import type { DiskSpace } from '../../src/kernel/ports/outside/disk-space.js';
import type { ReadModelWaiter } from '../../src/kernel/ports/read-models.js';
import type { Delegation } from '../../src/kernel/rights/delegation.js';
import {
  type JobRight,
  type RightEnd,
  RightEndedError,
  rightEnded,
  toJobRight,
} from '../../src/kernel/rights/job-right.js';
import { Transactions } from '../../src/kernel/transactions.js';
import type { JobQueue } from '../../src/modules/jobs/api/job-queue.js';
import { job } from '../../src/modules/jobs/job.state.js';
import { SiteJobStopper } from '../../src/modules/jobs/worker/site-job-stopper.js';
import { Deploys, type JobDeploy } from '../../src/modules/sites/api/deploys.js';
import { JobRights } from '../../src/modules/sites/api/job-rights.js';
import type { SiteShares } from '../../src/modules/sites/api/site-shares.js';
import { createJobStarter } from '../../src/modules/sites/publish/jobs/job-right.rule.js';
import { RevokedCredentials } from '../../src/modules/sites/publish/jobs/revoked-credentials.js';
import type { AnonymousContent } from '../../src/modules/sites/publish/shares/anonymous-content.js';
import type { DeployBytes } from '../../src/modules/sites/publish/shares/deploy-bytes.js';
import type { SiteSecrets } from '../../src/modules/sites/settings/secrets/site-secrets.js';
import type { SiteDirectory } from '../../src/modules/sites/site/site-directory.js';
import { site } from '../../src/modules/sites/site/state/site.state.js';
import type { JobRow } from '../../src/projections/models/job.projection.js';
import type { AnonymousExpiry, LimitsOfDeploys } from '../../src/settings/deploy-settings.js';
import type { BlobIntake, BlobStore } from '../../src/storage/blobs/blob-store.js';
import { asked, startedBy } from '../support/events/job-examples.js';
import { ann, created, digestOf, later, noon } from '../support/events/site-examples.js';
import { standIn } from '../support/events/stand-in.js';
import { commandBus } from '../support/eventstore/command-bus.js';
import { MemorySnapshots, MemoryStore } from '../support/eventstore/memory-store.js';

const SITE = 'site_1';
const carl = { memberId: 'mem_carl', userId: 'usr_carl' };
const owned = [
  created,
  SiteClaimed({ memberId: 'mem_bob', userId: 'usr_bob' }),
  MemberAdded({ ...carl, role: 'owner', inviteId: null }),
  AccessTokenIssued({ tokenId: 'tok_site', memberId: carl.memberId, role: 'editor', expiresAt: null }),
  PublisherTrusted({ publisherId: 'pub_1', memberId: carl.memberId }),
];

const of = (delegation?: Delegation): Caller => ({
  editTokenHash: null,
  userId: carl.userId,
  ...(delegation && { delegation }),
});
const token = (id: string, publisherId: string | null, memberIds: string[] | null): Caller =>
  of({ kind: 'token', id, publisherId, role: 'editor', memberIds });

const CREDENTIALS = {
  session: { caller: of(), history: owned },
  'site token': { caller: token('tok_site', null, [carl.memberId]), history: owned },
  'personal token': { caller: token('tok_personal', null, null), history: owned },
  'trusted publisher': { caller: token('tok_job', 'pub_1', [carl.memberId]), history: owned },
  'connected app': {
    caller: of({ kind: 'program', id: 'grt_1', clientName: 'An app', role: 'owner', memberIds: null }),
    history: owned,
  },
  'edit token': { caller: ann, history: [created] },
} satisfies Record<string, { caller: Caller; history: readonly SiteEvent[] }>;
type Credential = keyof typeof CREDENTIALS;

/** Everything that may end a right: events in the site's stream, and changes in tables. */
const EVENTS = {
  demotion: [MemberRoleChanged({ ...carl, role: 'viewer' })],
  removal: [MemberRemoved(carl)],
  rejoin: [
    MemberRemoved(carl),
    MemberAdded({ memberId: 'mem_carl2', userId: carl.userId, role: 'owner', inviteId: null }),
  ],
  claim: [SiteClaimed({ memberId: 'mem_dan', userId: 'usr_dan' })],
  // The last step of erasing a user, which ends the user's memberships.
  'account deletion': [MemberRemoved(carl)],
  suspension: [SiteTakenDown({ reason: 'phishing' })],
  'site deletion': [SiteDeleted({})],
  revocation: [AccessTokenRevoked({ tokenId: 'tok_site' }), PublisherRemoved({ publisherId: 'pub_1' })],
  expiry: [],
} satisfies Record<string, readonly SiteEvent[]>;
type Happening = keyof typeof EVENTS;

const byMember: Partial<Record<Happening, RightEnd>> = {
  demotion: 'member_demoted',
  removal: 'member_removed',
  rejoin: 'member_removed',
  'account deletion': 'member_removed',
  suspension: 'taken_down',
  'site deletion': 'site_deleted',
};
/** For each credential, the events that end its right, and the reason. Other events do not end it. */
const ENDS: Record<Credential, Partial<Record<Happening, RightEnd>>> = {
  session: byMember,
  'site token': { ...byMember, revocation: 'token_revoked' },
  'personal token': { ...byMember, revocation: 'token_revoked' },
  'trusted publisher': { ...byMember, revocation: 'publisher_removed' },
  'connected app': { ...byMember, revocation: 'grant_revoked' },
  'edit token': { claim: 'claimed', suspension: 'taken_down', 'site deletion': 'site_deleted' },
};
/** A site with members can't be claimed, and nobody can leave a site without members. */
const isPossible = (credential: Credential, happening: Happening) =>
  credential === 'edit token'
    ? ['claim', 'suspension', 'site deletion', 'expiry'].includes(happening)
    : happening !== 'claim';

const actorOfOlderJob: Record<Credential, Actor> = {
  session: { kind: 'user', id: carl.userId },
  'site token': { kind: 'user', id: carl.userId, token: 'tok_site' },
  'personal token': { kind: 'user', id: carl.userId, token: 'tok_personal' },
  'trusted publisher': { kind: 'user', id: carl.userId, token: 'tok_job', publisher: 'pub_1' },
  'connected app': { kind: 'user', id: carl.userId, client: 'An app', grant: 'grt_1' },
  'edit token': { kind: 'anonymous' },
};

const cells = (Object.keys(CREDENTIALS) as Credential[]).flatMap((credential) =>
  (Object.keys(EVENTS) as Happening[])
    .filter((happening) => isPossible(credential, happening))
    .map((happening) => [credential, happening, ENDS[credential][happening] ?? null] as const),
);

describe('The rights of a job', () => {
  let bus: CommandBus;
  let store: MemoryStore;
  let transactions: Transactions;
  let isRevoked: boolean;
  let secretsRead: number;
  let removed: string[];
  let rows: JobRow[];
  let directory: SiteDirectory;
  let revoked: RevokedCredentials;
  let rights: JobRights;
  let deploys: Deploys;
  let stopper: SiteJobStopper;

  // Starting Nest takes longer than a test, so all tests share a bus. It uses the transactions of the current test.
  beforeAll(async () => {
    bus = await commandBus(standIn<Transactions>({ run: (...given) => transactions.run(...given) }));
  });

  beforeEach(() => {
    store = new MemoryStore();
    transactions = new Transactions(store, new MemorySnapshots(), new RandomIds());
    isRevoked = false;
    secretsRead = 0;
    removed = [];
    rows = [];
    const unrevoked = async (ids: readonly string[]) => new Set(isRevoked ? [] : ids);
    revoked = new RevokedCredentials(standIn<AccessTokenStore>({ unrevoked }), standIn<OAuthGrants>({ unrevoked }));
    directory = standIn<SiteDirectory>({ stateOf: (id) => transactions.state(siteStream(id), site) });
    const secrets = standIn<SiteSecrets>({
      environment: async () => {
        secretsRead++;
        return new Map();
      },
    });
    rights = new JobRights(directory, secrets, revoked);
    deploys = new Deploys(
      bus,
      directory,
      standIn<BlobStore>({
        begin: () =>
          standIn<BlobIntake>({ add: async () => ({ sha256: digestOf('f'), size: 0 }), seal: async () => undefined }),
      }),
      revoked,
      standIn<LimitsOfDeploys>({}),
      standIn<AnonymousExpiry>({ seconds: null }),
      standIn<DiskSpace>({}),
      standIn<SiteNetworks>({}),
      standIn<SiteShares>({ shareOf: async () => ({ kind: 'unknown' }) }),
      standIn<DeployBytes>({ meterOf: () => async () => undefined }),
      standIn<AnonymousContent>({ publish: (_deploy, work) => work() }),
    );
    stopper = new SiteJobStopper(
      bus,
      standIn<JobQueue>({ remove: async (id) => void removed.push(id) }),
      standIn<ReadModelWaiter>({ reached: async (position) => position }),
      rights,
      standIn<Repository<JobRow>>({ find: async () => rows, findBy: async () => rows }),
    );
  });

  async function started(jobId: string, right: JobRight, isRunning: boolean) {
    const queued = JobQueued({ ...asked, siteId: SITE, by: null, memberId: null, trust: null });
    await store.write(jobStream(jobId), queued, ...(isRunning ? [startedBy('a')] : []));
    rows.push({ jobId, siteId: SITE, startedBy: JSON.stringify(right), errorCode: null } as JobRow);
  }
  async function rightBy(credential: Credential): Promise<JobRight> {
    const { caller, history } = CREDENTIALS[credential];
    await store.write(siteStream(SITE), ...history);
    const { state } = await transactions.state(siteStream(SITE), site);
    return toJobRight(createJobStarter(state, { at: noon, caller }, null), actorOfOlderJob[credential]);
  }
  async function happens(happening: Happening) {
    isRevoked = happening === 'revocation';
    if (EVENTS[happening].length > 0) await store.write(siteStream(SITE), ...EVENTS[happening]);
  }
  const stateOf = async (jobId: string) => (await transactions.state(jobStream(jobId), job)).state;
  const eventsOf = async (jobId: string) => (await store.read(jobStream(jobId))).events;
  const deploy: JobDeploy = {
    ...{ siteId: SITE, deployId: 'dep_1', jobId: 'job_1', commit: '1'.repeat(40) },
    content: { manifest: digestOf('9'), program: null, files: 1, bytes: 1, warnings: [] },
    provenance: new Uint8Array(),
  };

  it.each(cells)(
    'if a job was started with %s, then after %s whyEnded() returns %s',
    async (credential, happening, end) => {
      const right = await rightBy(credential);
      await started('job_running', right, true);
      await started('job_queued', right, false);
      await happens(happening);

      expect(await rights.whyEnded(SITE, right)).toBe(end);
      const environment = rights.readEnvironment(SITE, right);
      if (end === null) await environment;
      else await expect(environment).rejects.toMatchObject({ name: 'RightEndedError', end });
      // Secrets are read only for a job that a signed-in owner started.
      expect(secretsRead).toBe(end === null && credential === 'session' ? 1 : 0);

      expect(await stopper.stopEnded(rows)).toEqual(end === null ? [] : ['job_running', 'job_queued']);
      const error = end && rightEnded(end);
      expect(await stateOf('job_running')).toMatchObject(error ? { status: 'stopping', error } : { status: 'running' });
      expect(await stateOf('job_queued')).toMatchObject({ status: error ? 'stopped' : 'queued' });
      expect(removed).toEqual(error ? ['job_queued'] : []);
      if (error) {
        const [logged, stopped] = (await eventsOf('job_queued')).slice(-2);
        expect(logged?.data).toMatchObject({ lines: [{ n: 1, stream: 'stderr', text: error.message }] });
        expect(stopped).toMatchObject({ type: 'JobStopped', data: { error } });
      }
    },
  );

  it.each(cells.filter(([, happening]) => happening !== 'rejoin'))(
    'if a job was started with %s before rights were recorded, then after %s whyEnded() returns %s',
    async (credential, happening, end) => {
      await rightBy(credential);
      await happens(happening);
      const older = toJobRight({ by: null, memberId: null, trust: null, linkId: null }, actorOfOlderJob[credential]);
      expect(await rights.whyEnded(SITE, older)).toBe(end);
    },
  );

  it('a job publishes nothing if its site token is revoked after the last check and before the deploy is recorded', async () => {
    const right = await rightBy('site token');
    store.beforeAppend = async () => {
      store.beforeAppend = async () => undefined;
      await happens('revocation');
    };
    const context = { at: later, actor: { kind: 'user' as const, id: carl.userId } };
    const publish = deploys.publish(deploy, right, context);
    await expect(publish).rejects.toBeInstanceOf(RightEndedError);
  });

  it('a user’s job gets no secrets if the user is removed while the secrets are being read', async () => {
    const right = await rightBy('session');
    const secrets = standIn<SiteSecrets>({
      environment: async () => {
        await happens('removal');
        return new Map([['KEY', 'of the other owner']]);
      },
    });
    const reading = new JobRights(directory, secrets, revoked).readEnvironment(SITE, right);
    await expect(reading).rejects.toMatchObject({ end: 'member_removed' });
  });
});

describe('Jobs of a claimed site', () => {
  it('a claim also reports the edit token’s jobs that another process has already stopped', async () => {
    const starter: JobRight = {
      kind: 'editToken',
      id: digestOf('a'),
      memberId: null,
      userId: null,
      trust: 'none',
      linkId: null,
    };
    const rows = [
      { jobId: 'job_1', siteId: SITE, startedBy: JSON.stringify(starter), errorCode: 'right_ended' },
      {
        jobId: 'job_2',
        siteId: SITE,
        startedBy: JSON.stringify({ ...starter, kind: 'membership' }),
        errorCode: 'right_ended',
      },
    ] as JobRow[];
    const stopper = new SiteJobStopper(
      standIn<CommandBus>({}),
      standIn<JobQueue>({}),
      standIn<ReadModelWaiter>({ reached: async (position) => position }),
      standIn<JobRights>({ whyEnded: async () => null }),
      standIn<Repository<JobRow>>({ find: async () => rows }),
    );
    expect(await stopper.stopAfterClaim(SITE, 1n)).toEqual(['job_1']);
  });
});
