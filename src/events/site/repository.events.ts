import { z } from 'zod';
import { type EventOf, eventType } from '../event-type.js';
import { repoSource } from '../repo-source.js';

/** The repository that a site is built from. Recorded in the site's own stream. */
const { url, rootDirectory, plan } = repoSource.shape;

export const linkedRepository = z.strictObject({
  url,
  /** Null for the default branch of the repository. */
  branch: z.string().nullable(),
  rootDirectory,
  plan,
  /** Five-field cron expression in UTC; null if it is built only on request. */
  schedule: z.string().nullable(),
  /** Whether a scheduled build is left out if the live deploy was made from the head commit of the branch. */
  skipUnchanged: z.boolean(),
});
export type LinkedRepository = z.output<typeof linkedRepository>;

/** Builds of this repository receive the site's secrets from now on. It replaces the link before it. */
export const SiteRepositoryLinked = eventType(
  'SiteRepositoryLinked',
  z.strictObject({
    ...linkedRepository.shape,
    /** Stays the same as long as the same commit is built in the same way. */
    linkId: z.string(),
    /** The membership of the owner who set it: it ends with their ownership. */
    memberId: z.string(),
  }),
  {
    summary: ({ url, branch, schedule }) =>
      `Linked to ${url}${branch === null ? '' : `, branch ${branch}`}${schedule === null ? '' : `, built on the schedule “${schedule}” (UTC)`}`,
  },
);

/** No repository is linked any more. Jobs that build it lose their trust. */
export const SiteRepositoryUnlinked = eventType('SiteRepositoryUnlinked', z.strictObject({ linkId: z.string() }), {
  summary: () => 'Linked repository removed',
});

export const repositoryEvents = [SiteRepositoryLinked, SiteRepositoryUnlinked] as const;
export type RepositoryEvent = EventOf<(typeof repositoryEvents)[number]>;
