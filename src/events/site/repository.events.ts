import { z } from 'zod';
import type { EventOf } from '../event-type.js';
import { repoSource } from '../repo-source.js';
import { siteEventType } from './site-event-type.js';

/** Events about the repository from which a site is built. They are part of the site's stream. */
const { url, rootDirectory, plan } = repoSource.shape;

export const linkedRepository = z.strictObject({
  url,
  /** The branch to build, or null for the repository's default branch. */
  branch: z.string().nullable(),
  rootDirectory,
  plan,
  /** Cron expression with five fields, in UTC. Null if the site is built only on request. */
  schedule: z.string().nullable(),
  /** Whether to skip a scheduled build if the live deploy was made from the branch's head commit. */
  skipUnchanged: z.boolean(),
});
export type LinkedRepository = z.output<typeof linkedRepository>;

/** Builds of this repository now receive the site's secrets. Replaces any previous link. */
export const SiteRepositoryLinked = siteEventType(
  'SiteRepositoryLinked',
  z.strictObject({
    ...linkedRepository.shape,
    /** The link's ID, which stays the same while the URL, branch and build settings do not change. */
    linkId: z.string(),
    /** The membership of the owner who linked the repository. The link ends when that ownership ends. */
    memberId: z.string(),
  }),
  {
    example: {
      url: 'https://example.org/a/b',
      branch: 'main',
      rootDirectory: 'site',
      plan: {},
      schedule: '0 3 * * *',
      skipUnchanged: true,
      linkId: 'lnk_01jd4v8k3mqg5t2x9w7z6y4r1p',
      memberId: 'mem_01jd4v8k3mqg5t2x9w7z6y4r1p',
    },
    changes: null,
    summary: ({ url, branch, schedule }) =>
      `Linked to ${url}${branch === null ? '' : `, branch ${branch}`}${schedule === null ? '' : `, built on the schedule “${schedule}” (UTC)`}`,
  },
);

/** The link was removed. Jobs that build the repository are no longer trusted. */
export const SiteRepositoryUnlinked = siteEventType('SiteRepositoryUnlinked', z.strictObject({ linkId: z.string() }), {
  example: { linkId: 'lnk_01jd4v8k3mqg5t2x9w7z6y4r1p' },
  changes: null,
  summary: () => 'Linked repository removed',
});

export const repositoryEvents = [SiteRepositoryLinked, SiteRepositoryUnlinked] as const;
export type RepositoryEvent = EventOf<(typeof repositoryEvents)[number]>;
