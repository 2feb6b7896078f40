import { z } from 'zod';
import { type EventOf, selectTypes, upcast } from '../event-type.js';
import { repoSource } from '../repo-source.js';
import { deployClient, deployContent, deployName, deployTitle } from '../summary-words.js';
import { type DeployServer, deployServer } from './deploy-server.js';
import { memberEvents } from './member.events.js';
import { repositoryEvents } from './repository.events.js';
import { serverEvents } from './server.events.js';
import { settingsEvents } from './settings.events.js';
import { siteDomainEvents } from './site-domain.events.js';
import { siteEventType } from './site-event-type.js';
import { tokenEvents } from './token.events.js';

/** The stream with the history of one site. Keyed by ID, because the slug can change. */
export const siteStream = (siteId: string) => `site-${siteId}`;
export const readSiteId = (stream: string) => stream.slice('site-'.length);

/** Reports whether the service published this site to test itself. Its events are deleted some time later. */
export const isProbeSite = (siteId: string) => siteId.startsWith('prb_');

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const exampleDigest = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

export const SiteCreated = siteEventType(
  'SiteCreated',
  z.strictObject({
    slug: z.string(),
    /** Hexadecimal SHA-256 hash of the edit token, or null for a site that had an owner from the start. */
    editTokenHash: sha256.nullable(),
  }),
  {
    example: { slug: 'amber-otter-4821', editTokenHash: exampleDigest },
    changes: null,
    summary: ({ slug }) => `Created as ${slug}`,
  },
);

const deploy = {
  deployId: z.string(),
  /** Number of the deploy within the site, starting at 1. */
  number: z.number().int().positive(),
  /**
   * Hexadecimal SHA-256 hash of the manifest, which is stored like any other content. For a server, the hash of its
   * stored output (a tar) or image (an OCI archive).
   */
  manifest: sha256,
  /** Number of files: 0 for a server, at least 1 for any other deploy. */
  files: z.number().int().nonnegative(),
  bytes: z.number().int().nonnegative(),
  source: z.enum(['upload', 'repo', 'code', 'mcp']),
  message: z.string().nullable(),
  /** The job that made the deploy, or null if the deploy was uploaded. */
  jobId: z.string().nullable(),
  commit: z.string().nullable(),
  /**
   * Hexadecimal SHA-256 hash of the signed provenance statement, which is stored like any other content. Null if there
   * is no statement.
   */
  provenance: sha256.nullable(),
  /** The kind of the deploy’s server, or null for a static deploy. */
  program: deployServer,
  /**
   * True if a trusted job built the deploy. The deploy's server then receives the site's secrets. Null if the deploy
   * was uploaded, or if this is unknown.
   */
  trusted: z.boolean().nullable(),
  /** The program that sent the deploy, such as `stele-cli/0.1.0`, as it names itself. Null if it gave no name. */
  client: z.string().max(60).nullable(),
};

const hasWhatItShows = (data: { readonly files: number; readonly program: DeployServer }) =>
  data.program === null ? data.files > 0 : data.files === 0;

/** Upcasts events from before jobs existed. */
const withoutJob = (older: object) => ({ ...older, jobId: null, commit: null });
/** Upcasts events from before jobs had provenance. */
const withoutProvenance = (older: object) => ({ ...older, provenance: null });
/** Upcasts events from before sites could have servers. */
const withoutServer = (older: object) => ({ ...older, program: null });

/** Upcasts events from before trust was recorded, when every build received secrets. */
const withoutTrust = (older: object) => ({ ...older, trusted: null });

/** Upcasts events from before programs could name themselves. */
const withoutClient = (older: object) => ({ ...older, client: null });

/** Upcasts events from before an expiry could be renewed. */
const withoutRenewal = (older: object) => ({ ...older, renews: false });

// Example data of deploy events. Each example adds the fields that a newer schema version added.
const staged = {
  deployId: 'dep_01jd4v8k3mqg5t2x9w7z6y4r1p',
  number: 2,
  manifest: exampleDigest,
  files: 3,
  bytes: 2048,
  source: 'upload',
  message: null,
} as const;
const deployed = { ...staged, replaced: 'dep_01jd4v7h2kpf4s1w8v6y5x3q0n' };
const builtBy = { jobId: 'job_01jd4v9m2nrh6v3y0x8a7z5s2q', commit: 'b3a6a4d0c6e4f2d1a0f9e8d7c6b5a49382716050' };
const provenBy = { ...builtBy, provenance: exampleDigest };
const asServer = { ...provenBy, files: 0, program: { kind: 'next' } } as const;
const stagedServer = { ...staged, ...asServer };
const deployedServer = { ...deployed, ...asServer };

/** A deploy was published. All of its content had been stored durably before this event. */
export const SiteDeployed = siteEventType(
  'SiteDeployed',
  z
    .strictObject({
      ...deploy,
      /** The deploy that was live before, or null. */
      replaced: z.string().nullable(),
    })
    .refine(hasWhatItShows),
  {
    example: { ...deployedServer, trusted: false, client: 'stele-cli/0.1.0; agent=claude-code' },
    changes: { kind: 'content', done: 'deployed' },
    summary: (data) => `${deployTitle(data)}: ${deployContent(data)}${deployClient(data)}`,
    movesLive: true,
    isDeploy: true,
  },
  upcast(deployed, withoutJob),
  upcast({ ...deployed, ...builtBy }, withoutProvenance),
  upcast({ ...deployed, ...provenBy }, withoutServer),
  upcast(deployedServer, withoutTrust),
  upcast({ ...deployedServer, trusted: false }, withoutClient),
);

/** A deploy was stored but not published. It has a preview, and a rollback can make it live. */
export const SiteStaged = siteEventType(
  'SiteStaged',
  z.strictObject(deploy).refine(hasWhatItShows),
  {
    example: { ...stagedServer, program: { kind: 'container' }, trusted: false, client: null },
    changes: { kind: 'content', done: 'deployed' },
    summary: (data) => `${deployTitle(data)} staged: ${deployContent(data)}${deployClient(data)}`,
    isDeploy: true,
  },
  upcast(staged, withoutJob),
  upcast({ ...staged, ...builtBy }, withoutProvenance),
  upcast({ ...staged, ...provenBy }, withoutServer),
  upcast(stagedServer, withoutTrust),
  upcast({ ...stagedServer, trusted: false }, withoutClient),
);

const queuedJob = {
  jobId: builtBy.jobId,
  source: { url: 'https://example.org/a', ref: null, rootDirectory: null, plan: {} },
};

/** A caller who can deploy the site queued a job. The deploy that the job makes is recorded in a separate event. */
export const SiteJobQueued = siteEventType(
  'SiteJobQueued',
  z.strictObject({
    jobId: z.string(),
    source: repoSource,
    /**
     * The link whose branch the job builds without overrides. Null if the job has overrides or does not build a linked
     * branch.
     */
    linkId: z.string().nullable(),
    /** The scheduled start (RFC 3339), or null if someone requested the job. */
    dueAt: z.iso.datetime().nullable(),
  }),
  {
    example: { ...queuedJob, linkId: 'lnk_01jd4v9m2nrh6v3y0x8a7z5s2q', dueAt: '2026-11-20T03:00:00.000Z' },
    changes: null,
    summary: ({ source }) => `Deploy of ${source.url} queued`,
  },
  upcast(queuedJob, (first) => ({ ...first, linkId: null, dueAt: null })),
);

const rollback = { deployId: 'dep_1', manifest: exampleDigest, replaced: 'dep_2' };
const knownRollback = { ...rollback, rollbackId: 'rbk_1' };
const numberedRollback = { ...knownRollback, number: 1, program: null };

/** Another deploy was made live. Nothing was copied or deleted. */
export const SiteRolledBack = siteEventType(
  'SiteRolledBack',
  z.strictObject({
    deployId: z.string(),
    /** Number of the deploy that is now live. Null in older events. */
    number: z.number().int().positive().nullable(),
    /** The manifest and kind of the deploy that is now live, included so that serving the site requires no lookup. */
    manifest: sha256,
    program: deployServer,
    replaced: z.string(),
    /** ID of the request, used to recognize a retry. Null in older events. */
    rollbackId: z.string().nullable(),
    /** Whether the server of the deploy that is now live receives secrets. Null in older events. */
    trusted: z.boolean().nullable(),
  }),
  {
    example: { ...numberedRollback, trusted: true },
    changes: { kind: 'content', done: 'rolled back' },
    summary: (data, { names }) => `Rolled back to ${deployName(data, names)}`,
    movesLive: true,
    isDeploy: true,
  },
  upcast(rollback, (first) => ({ ...first, rollbackId: null })),
  upcast(knownRollback, withoutServer),
  upcast({ ...knownRollback, program: { kind: 'container' } }, (older) => ({ ...older, number: null })),
  upcast(numberedRollback, withoutTrust),
);

/** The site expires at `expiresAt` (RFC 3339) unless it is claimed first. */
export const SiteExpirySet = siteEventType(
  'SiteExpirySet',
  z.strictObject({
    expiresAt: z.iso.datetime(),
    /**
     * Whether each deploy renews the expiry. True for the operator’s default expiry, false for an expiry that the
     * publisher has set.
     */
    renews: z.boolean(),
  }),
  {
    example: { expiresAt: '2026-11-20T12:00:00.000Z', renews: true },
    changes: null,
    summary: ({ expiresAt }) => `Set to expire at ${expiresAt}`,
  },
  upcast({ expiresAt: '2026-11-20T12:00:00.000Z' }, withoutRenewal),
);

/** The site has expired. This event is recorded shortly afterwards; the time in `SiteExpirySet` is decisive. */
export const SiteExpired = siteEventType('SiteExpired', z.strictObject({}), {
  example: {},
  changes: null,
  summary: () => 'Expired',
  changesRights: true,
  stopsServing: true,
  endsSite: true,
  isWarning: true,
});

/** The operator took the site down on all of its hosts. Its content is kept. */
export const SiteTakenDown = siteEventType('SiteTakenDown', z.strictObject({ reason: z.string() }), {
  example: { reason: 'phishing' },
  changes: { kind: 'access', done: 'taken down' },
  summary: ({ reason }) => `Taken down by the operator: ${reason}`,
  changesRights: true,
  stopsServing: true,
  isWarning: true,
});

export const SiteRestored = siteEventType('SiteRestored', z.strictObject({}), {
  example: {},
  changes: null,
  summary: () => 'Restored by the operator',
});

/**
 * All other events of the site were deleted, long after it ended. Used only for sites that the service publishes to
 * test itself.
 */
export const SiteForgotten = siteEventType('SiteForgotten', z.strictObject({}), {
  example: {},
  changes: null,
  summary: () => 'Earlier events deleted',
});

export const siteEvents = [
  SiteCreated,
  SiteDeployed,
  SiteStaged,
  SiteJobQueued,
  SiteRolledBack,
  SiteExpirySet,
  SiteExpired,
  SiteTakenDown,
  SiteRestored,
  SiteForgotten,
  ...memberEvents,
  ...settingsEvents,
  ...siteDomainEvents,
  ...tokenEvents,
  ...serverEvents,
  ...repositoryEvents,
] as const;
export type SiteEvent = EventOf<(typeof siteEvents)[number]>;

const liveMoves = selectTypes(siteEvents, 'movesLive');

/** An event after which the site shows the deploy that the event's data describes. */
export type LiveMove = Extract<SiteEvent, { data: { manifest: string; replaced: string | null } }>;
export const movesLive = (event: SiteEvent): event is LiveMove => liveMoves.has(event.type);
