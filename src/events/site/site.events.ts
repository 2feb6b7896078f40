import { z } from 'zod';
import { type EventOf, eventType, type Upcast } from '../event-type.js';
import { repoSource } from '../repo-source.js';
import { deployContent, deployName, deployTitle } from '../summary-words.js';
import { memberEvents } from './member.events.js';
import { type Program, program } from './program.js';
import { repositoryEvents } from './repository.events.js';
import { serverEvents } from './server.events.js';
import { settingsEvents } from './settings.events.js';
import { siteDomainEvents } from './site-domain.events.js';
import { tokenEvents } from './token.events.js';

/** Everything that ever happened to one site. Keyed by id: a site may change its slug. */
export const siteStream = (siteId: string) => `site-${siteId}`;
export const siteIdOf = (stream: string) => stream.slice('site-'.length);

/**
 * Whether a site is one of those that the service publishes to see that it can: a new one each day, whose events are
 * dropped some time later.
 */
export const isProbeSite = (siteId: string) => siteId.startsWith('prb_');

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const SiteCreated = eventType(
  'SiteCreated',
  z.strictObject({
    slug: z.string(),
    /** SHA-256 of the edit token, hexadecimal; null for a site that had an owner from the start. */
    editTokenHash: sha256.nullable(),
  }),
  { summary: ({ slug }) => `Created as ${slug}` },
);

const deploy = {
  deployId: z.string(),
  /** Counted from 1 within the site. */
  number: z.number().int().positive(),
  /**
   * SHA-256 of the manifest, hexadecimal; the manifest is content like any other. Of a program: that of its stored
   * output (a tar) or image (an OCI archive).
   */
  manifest: sha256,
  /** None of a program, and of nothing else. */
  files: z.number().int().nonnegative(),
  bytes: z.number().int().nonnegative(),
  source: z.enum(['upload', 'repo', 'code', 'mcp']),
  message: z.string().nullable(),
  /** The job that made it, and the commit it was made from; null for a deploy that was sent. */
  jobId: z.string().nullable(),
  commit: z.string().nullable(),
  /** SHA-256 of the signed statement of how it was made, hexadecimal: content like any other. Null without one. */
  provenance: sha256.nullable(),
  /** How it runs; null for files that are shown as they are. */
  program,
  /**
   * Whether a trusted job built it: only the server of such a deploy receives secrets. Null for a deploy that was sent,
   * and in events written before it was recorded.
   */
  trusted: z.boolean().nullable(),
};

const hasWhatItShows = (data: { readonly files: number; readonly program: Program }) =>
  data.program === null ? data.files > 0 : data.files === 0;

/** There were no jobs. */
const withoutJob: Upcast = (older) => ({ ...older, jobId: null, commit: null });
/** Jobs stated nothing. */
const withoutProvenance: Upcast = (older) => ({ ...older, provenance: null });
/** Deploys were files. */
const withoutProgram: Upcast = (older) => ({ ...older, program: null });

/** Every build received secrets. */
const withoutTrust: Upcast = (older) => ({ ...older, trusted: null });

/** An expiry did not change. */
const withoutRenewal: Upcast = (older) => ({ ...older, renews: false });

/** A deploy was published whole: its content was durable before this was recorded. */
export const SiteDeployed = eventType(
  'SiteDeployed',
  z
    .strictObject({
      ...deploy,
      /** The deploy that was live until now; null for the first. */
      replaced: z.string().nullable(),
    })
    .refine(hasWhatItShows),
  { summary: (data) => `${deployTitle(data)}: ${deployContent(data)}`, movesLive: true, isDeploy: true },
  withoutJob,
  withoutProvenance,
  withoutProgram,
  withoutTrust,
);

/** A deploy was stored whole and not shown: it has its preview, and a rollback makes it live. */
export const SiteStaged = eventType(
  'SiteStaged',
  z.strictObject(deploy).refine(hasWhatItShows),
  { summary: (data) => `${deployTitle(data)} staged: ${deployContent(data)}`, isDeploy: true },
  withoutJob,
  withoutProvenance,
  withoutProgram,
  withoutTrust,
);

/** A caller who may deploy the site has put a job in the queue; what it makes is recorded when it is made. */
export const SiteJobQueued = eventType(
  'SiteJobQueued',
  z.strictObject({
    jobId: z.string(),
    source: repoSource,
    /** The link whose branch the job builds with nothing overridden; null for any other job. */
    linkId: z.string().nullable(),
    /** The time in the schedule of the link at which the job was due (RFC 3339); null if somebody asked for the job. */
    dueAt: z.iso.datetime().nullable(),
  }),
  { summary: ({ source }) => `Deploy of ${source.url} queued` },
  (first) => ({ ...first, linkId: null, dueAt: null }),
);

/** The pointer moved to another deploy of the site. Nothing was copied and nothing deleted. */
export const SiteRolledBack = eventType(
  'SiteRolledBack',
  z.strictObject({
    deployId: z.string(),
    /** Of that deploy, counted from 1 within the site; null in events written before it was recorded. */
    number: z.number().int().positive().nullable(),
    /** The manifest of that deploy, and how it runs, so that serving the site needs no look-up. */
    manifest: sha256,
    program,
    replaced: z.string(),
    /** Of the request that asked for it, so that it is known when it comes again; null before there were such ids. */
    rollbackId: z.string().nullable(),
    /** Whether the server of that deploy receives secrets; null in events written before it was recorded. */
    trusted: z.boolean().nullable(),
  }),
  { summary: (data, { names }) => `Rolled back to ${deployName(data, names)}`, movesLive: true, isDeploy: true },
  (first) => ({ ...first, rollbackId: null }),
  withoutProgram,
  (older) => ({ ...older, number: null }),
  withoutTrust,
);

/** The site is to be gone from this time on (RFC 3339), unless it is claimed before. */
export const SiteExpirySet = eventType(
  'SiteExpirySet',
  z.strictObject({
    expiresAt: z.iso.datetime(),
    /** Whether each publication sets it anew: it is the operator’s default, and not what the publisher asked for. */
    renews: z.boolean(),
  }),
  { summary: ({ expiresAt }) => `Set to expire at ${expiresAt}` },
  withoutRenewal,
);

/** Its time was over. Recorded soon after; what counts is the time that was set. */
export const SiteExpired = eventType('SiteExpired', z.strictObject({}), {
  summary: () => 'Expired',
  changesRights: true,
  stopsServing: true,
  endsSite: true,
  isWarning: true,
});

/** The operator took the site off all its addresses. Its content is kept. */
export const SiteTakenDown = eventType('SiteTakenDown', z.strictObject({ reason: z.string() }), {
  summary: ({ reason }) => `Taken down by the operator: ${reason}`,
  changesRights: true,
  stopsServing: true,
  isWarning: true,
});

/** The operator put it back as it was. */
export const SiteRestored = eventType('SiteRestored', z.strictObject({}), {
  summary: () => 'Restored by the operator',
});

/** All other events of a site of the probe’s are dropped: it ended long ago. Of no other site. */
export const SiteForgotten = eventType('SiteForgotten', z.strictObject({}), {
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
