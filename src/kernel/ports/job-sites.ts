import type { CommandContext } from '../command-context.js';
import type { Actor, Head } from '../event-store.js';
import type { JobRight, JobStarter, RightEnd } from '../rights/job-right.js';
import type { ServedProgram } from './site-servers.js';

/** The site that a job is to deploy. */
export type JobTarget<Source> = {
  readonly siteId: string;
  readonly slug: string;
  readonly source: Source;
  /** Whether the site was created for this job. The caller then receives its edit token. */
  readonly isNew: boolean;
  readonly starter: JobStarter;
};

/** The repository that a site is built from. Its builds receive the site’s secrets. */
export type LinkedSource<Source> = {
  /** `ref` is a branch, or null for the default branch. */
  readonly source: Source;
  /** Five-field cron expression in UTC; null if it is built only on request. */
  readonly schedule: string | null;
  /** Whether to skip a scheduled build if the live deploy was made from the head commit of the branch. */
  readonly skipUnchanged: boolean;
};

/** The state of a site after its link was changed. */
export type LinkOutcome<Source> = {
  readonly linked: LinkedSource<Source> | null;
  readonly head: Head;
  readonly position: bigint | null;
};

/** A build that is due by a schedule. */
export type DueBuild<Source> = {
  readonly target: JobTarget<Source>;
  readonly skipUnchanged: boolean;
  /** The commit that the live deploy was made from; null if there is none. */
  readonly liveCommit: string | null;
};

export type NewJob<Source> = {
  readonly jobId: string;
  /** Null to generate a slug for a new site. */
  readonly slug: string | null;
  readonly source: Source;
  /** The link whose branch the job builds without overrides; null for any other job. */
  readonly linkId: string | null;
  /** Used if a new site has to be created. */
  readonly siteId: string;
  /** For a new site without an owner; null if it has one from the start. */
  readonly editTokenHash: string | null;
  readonly owner: { readonly memberId: string; readonly userId: string } | null;
  /** The network of the caller. */
  readonly network: string;
};

/** A file for a deploy, or one that is left out and the reason. */
export type JobFile = { readonly path: string } & (
  | { readonly content: Uint8Array | AsyncIterable<Uint8Array> }
  | { readonly leftOut: string }
);

/** Content that is stored completely and durably, but not published yet. */
export type JobContent = {
  /** Digest of the manifest, or of the server’s output or image: 64 hexadecimal digits. */
  readonly manifest: string;
  /** The kind of server; null for a static site. */
  readonly program: ServedProgram['kind'] | null;
  /** 0 for a server. */
  readonly files: number;
  readonly bytes: number;
  readonly warnings: readonly { readonly file: string; readonly line?: number; readonly message: string }[];
};

export type JobDeploy = {
  readonly siteId: string;
  readonly deployId: string;
  readonly jobId: string;
  readonly commit: string;
  readonly content: JobContent;
  /** The signed provenance statement. */
  readonly provenance: Uint8Array;
};

export type JobEnvironment = {
  /** Whether the build is trusted. Only trusted builds receive secrets. */
  readonly isTrusted: boolean;
  /**
   * Secrets by name. The build gets them as environment variables, and they are masked in its log. Empty if it is not
   * trusted.
   */
  readonly secrets: ReadonlyMap<string, string>;
  /** Whether the site has secrets that the build does not receive. */
  readonly isWithheld: boolean;
};

/** A recorded deploy. */
export type PublishedDeploy = {
  /** Whether the previous live deploy had the same content. */
  readonly unchanged: boolean;
};

/** The operations of jobs on the sites that they deploy. A site keeps the sources of jobs exactly as given. */
export abstract class JobSites<Source> {
  /**
   * Records on a site that the job will deploy it: on the site with the slug, if the caller can deploy it, else on a
   * new
   * one. Idempotent by the IDs. Refuses with `invalid_slug`, `slug_taken`, and as a redeploy does.
   */
  abstract queue(context: CommandContext, job: NewJob<Source>): Promise<JobTarget<Source>>;

  /** Refuses what `queue` would refuse, without recording anything. Called before the repository is read. */
  abstract assertCanQueue(context: CommandContext, job: Pick<NewJob<Source>, 'slug' | 'siteId'>): Promise<void>;

  /** Queues a job as `queue` does, with the source of the site’s last job. Refuses also with `nothing_to_rerun`. */
  abstract queueAgain(context: CommandContext, slug: string, jobId: string): Promise<JobTarget<Source>>;

  /** Refuses what `link` would refuse, without recording anything. Called before the repository is read. */
  abstract assertCanLink(context: CommandContext, slug: string): Promise<void>;

  /**
   * Links a repository to the site and replaces its previous link. Only owners with a session of their own can do this.
   */
  abstract link(
    context: CommandContext,
    slug: string,
    linked: LinkedSource<Source> & { readonly linkId: string },
  ): Promise<LinkOutcome<Source>>;

  /** Removes the link. Idempotent. Only owners with a session of their own can do this. */
  abstract unlink(context: CommandContext, slug: string): Promise<LinkOutcome<Source>>;

  /**
   * The link of the site, for callers who can deploy it; null if there is none. Refuses with `site_not_found` if the
   * site
   * does not exist.
   */
  abstract linkOf(
    context: CommandContext,
    slug: string,
  ): Promise<(LinkedSource<Source> & { readonly linkId: string }) | null>;

  /** The build that is due at this time of the schedule (RFC 3339); null if it was queued already or is not needed. */
  abstract dueBuild(siteId: string, dueAt: string): Promise<DueBuild<Source> | null>;

  /** Records that the build of this time is queued. Idempotent. */
  abstract recordDueBuild(siteId: string, jobId: string, dueAt: string): Promise<void>;

  /** The ID of the site with the slug, for a caller who can read its history. Refuses as the history does. */
  abstract readBy(slug: string, context: CommandContext): Promise<string>;

  /** Refuses unless the caller can deploy the site now. */
  abstract assertCanDeploy(siteId: string, context: CommandContext): Promise<void>;

  /** Why a job with this right can no longer act on the site; null if it still can. */
  abstract whyRightEnded(siteId: string, right: JobRight): Promise<RightEnd | null>;

  /** Returns those of these rights whose access token or grant was revoked. Expired ones are not included. */
  abstract revokedAmong<Right extends JobRight>(rights: readonly Right[]): Promise<readonly Right[]>;

  /**
   * The current environment for a build with this right. Throws `RightEndedError`, also if the right ended while
   * secrets
   * were read: the site may have a new owner by then.
   */
  abstract environment(siteId: string, right: JobRight): Promise<JobEnvironment>;

  /**
   * How many rights to deploy the site have ended so far: by its claim, and by removing or demoting members, tokens and
   * publishers. A build reuses leftovers of an earlier build only if this count is the same.
   */
  abstract countEndedRights(siteId: string): Promise<number>;

  /**
   * Stores files by the rules of an upload, within the limits of the caller who started the job. Leaves out files that
   * are
   * never published, and calls `onLeftOut` with each path and reason. Refuses with `rate_limited` if the site exceeds
   * its
   * share.
   */
  abstract takeIn(
    siteId: string,
    files: AsyncIterable<JobFile>,
    startedBy: Actor,
    onLeftOut: (path: string, why: string) => void,
  ): Promise<JobContent>;

  /**
   * Stores the output or image of a server as it arrives, within the operator’s limit. Refuses with `too_large` and
   * `rate_limited`.
   */
  abstract takeInProgram(
    siteId: string,
    kind: ServedProgram['kind'],
    content: AsyncIterable<Uint8Array>,
  ): Promise<JobContent>;

  /**
   * The deploy, if an earlier attempt published it, else null. Refuses with `site_not_found` if the site was deleted.
   */
  abstract findDeploy(siteId: string, deployId: string): Promise<PublishedDeploy | null>;

  /**
   * Publishes the deploy. Idempotent. Its provenance is already stored by then. Throws `RightEndedError`; refuses with
   * `site_expired`.
   */
  abstract publish(
    deploy: JobDeploy,
    right: JobRight,
    by: { readonly at: string; readonly actor: Actor },
  ): Promise<PublishedDeploy>;
}
