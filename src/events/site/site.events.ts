import { z } from 'zod';
import type { EventOf, Upcast } from '../event-type.js';
import { repoSource } from '../repo-source.js';
import { deployContent, deployName, deployTitle } from '../summary-words.js';
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

export const SiteCreated = siteEventType(
  'SiteCreated',
  z.strictObject({
    slug: z.string(),
    /** Hexadecimal SHA-256 hash of the edit token, or null for a site that had an owner from the start. */
    editTokenHash: sha256.nullable(),
  }),
  { changes: null, summary: ({ slug }) => `Created as ${slug}` },
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
  /** The job that made the deploy. Null for an uploaded deploy. */
  jobId: z.string().nullable(),
  commit: z.string().nullable(),
  /** Hexadecimal SHA-256 hash of the signed provenance statement, which is stored like any other content, or null. */
  provenance: sha256.nullable(),
  /** The kind of server, or null for a static deploy. */
  program: deployServer,
  /** Whether a trusted job built the deploy, so that its server receives secrets. Null if uploaded or unknown. */
  trusted: z.boolean().nullable(),
};

const hasWhatItShows = (data: { readonly files: number; readonly program: DeployServer }) =>
  data.program === null ? data.files > 0 : data.files === 0;

/** Upcasts events from before jobs existed. */
const withoutJob: Upcast = (older) => ({ ...older, jobId: null, commit: null });
/** Upcasts events from before jobs had provenance. */
const withoutProvenance: Upcast = (older) => ({ ...older, provenance: null });
/** Upcasts events from before sites could have servers. */
const withoutProgram: Upcast = (older) => ({ ...older, program: null });

/** Upcasts events from before trust was recorded, when every build received secrets. */
const withoutTrust: Upcast = (older) => ({ ...older, trusted: null });

/** Upcasts events from before an expiry could be renewed. */
const withoutRenewal: Upcast = (older) => ({ ...older, renews: false });

/** A deploy was published. All of its content was stored durably before. */
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
    changes: { kind: 'content', done: 'deployed' },
    summary: (data) => `${deployTitle(data)}: ${deployContent(data)}`,
    movesLive: true,
    isDeploy: true,
  },
  withoutJob,
  withoutProvenance,
  withoutProgram,
  withoutTrust,
);

/** A deploy was stored but not published. It has a preview, and a rollback can make it live. */
export const SiteStaged = siteEventType(
  'SiteStaged',
  z.strictObject(deploy).refine(hasWhatItShows),
  {
    changes: { kind: 'content', done: 'deployed' },
    summary: (data) => `${deployTitle(data)} staged: ${deployContent(data)}`,
    isDeploy: true,
  },
  withoutJob,
  withoutProvenance,
  withoutProgram,
  withoutTrust,
);

/** A caller who can deploy the site queued a job, whose deploy is recorded separately. */
export const SiteJobQueued = siteEventType(
  'SiteJobQueued',
  z.strictObject({
    jobId: z.string(),
    source: repoSource,
    /** The link whose branch the job builds without overrides, or null. */
    linkId: z.string().nullable(),
    /** The scheduled start (RFC 3339), or null if someone requested the job. */
    dueAt: z.iso.datetime().nullable(),
  }),
  { changes: null, summary: ({ source }) => `Deploy of ${source.url} queued` },
  (first) => ({ ...first, linkId: null, dueAt: null }),
);

/** Another deploy was made live. Nothing was copied or deleted. */
export const SiteRolledBack = siteEventType(
  'SiteRolledBack',
  z.strictObject({
    deployId: z.string(),
    /** Number of the deploy that is now live. Null in older events. */
    number: z.number().int().positive().nullable(),
    /** The manifest and kind of that deploy, so that serving the site does not require looking them up. */
    manifest: sha256,
    program: deployServer,
    replaced: z.string(),
    /** ID of the request, used to recognize a retry. Null in older events. */
    rollbackId: z.string().nullable(),
    /** Whether that deploy's server receives secrets. Null in older events. */
    trusted: z.boolean().nullable(),
  }),
  {
    changes: { kind: 'content', done: 'rolled back' },
    summary: (data, { names }) => `Rolled back to ${deployName(data, names)}`,
    movesLive: true,
    isDeploy: true,
  },
  (first) => ({ ...first, rollbackId: null }),
  withoutProgram,
  (older) => ({ ...older, number: null }),
  withoutTrust,
);

/** The site expires at `expiresAt` (RFC 3339) unless it is claimed first. */
export const SiteExpirySet = siteEventType(
  'SiteExpirySet',
  z.strictObject({
    expiresAt: z.iso.datetime(),
    /**
     * Whether each deploy renews the expiry. The operator’s default expiry is renewed; an expiry set by the publisher
     * is not.
     */
    renews: z.boolean(),
  }),
  { changes: null, summary: ({ expiresAt }) => `Set to expire at ${expiresAt}` },
  withoutRenewal,
);

/** The site has expired. This event is recorded shortly afterwards; the time in `SiteExpirySet` is decisive. */
export const SiteExpired = siteEventType('SiteExpired', z.strictObject({}), {
  changes: null,
  summary: () => 'Expired',
  changesRights: true,
  stopsServing: true,
  endsSite: true,
  isWarning: true,
});

/** The operator took the site down on all of its hosts. Its content is kept. */
export const SiteTakenDown = siteEventType('SiteTakenDown', z.strictObject({ reason: z.string() }), {
  changes: { kind: 'access', done: 'taken down' },
  summary: ({ reason }) => `Taken down by the operator: ${reason}`,
  changesRights: true,
  stopsServing: true,
  isWarning: true,
});

export const SiteRestored = siteEventType('SiteRestored', z.strictObject({}), {
  changes: null,
  summary: () => 'Restored by the operator',
});

/** All other events of the site were deleted, long after it ended. Used only for the probe’s sites. */
export const SiteForgotten = siteEventType('SiteForgotten', z.strictObject({}), {
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
