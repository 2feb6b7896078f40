import type { CommandContext } from '../command-context.js';
import type { Actor, Head } from '../event-store.js';
import type { JobRight, JobStarter, RightEnd } from '../rights/job-right.js';
import type { ServedProgram } from './site-servers.js';

/** The site that a job is to deploy. */
export type JobTarget<Source> = {
  readonly siteId: string;
  readonly slug: string;
  readonly source: Source;
  /** Whether it was made for this job: the caller is then given its edit token. */
  readonly isNew: boolean;
  readonly starter: JobStarter;
};

/** The repository that a site is built from: builds of it receive the site’s secrets. */
export type LinkedSource<Source> = {
  /** `ref` is a branch, or null for the default branch. */
  readonly source: Source;
  /** Five-field cron expression in UTC; null if it is built only on request. */
  readonly schedule: string | null;
  /** Whether a scheduled build is left out if the live deploy was made from the head commit of the branch. */
  readonly skipUnchanged: boolean;
};

/** How the site stands after its link was changed. */
export type LinkOutcome<Source> = {
  readonly linked: LinkedSource<Source> | null;
  readonly head: Head;
  readonly position: bigint | null;
};

/** A build that a schedule asks for. */
export type DueBuild<Source> = {
  readonly target: JobTarget<Source>;
  readonly skipUnchanged: boolean;
  /** The commit that the live deploy was made from; null if there is none. */
  readonly liveCommit: string | null;
};

export type NewJob<Source> = {
  readonly jobId: string;
  /** Null for a site to which a name is given. */
  readonly slug: string | null;
  readonly source: Source;
  /** The link whose branch the job builds with nothing overridden; null for any other job. */
  readonly linkId: string | null;
  /** For a site that has to be made. */
  readonly siteId: string;
  /** Of a site without an owner; null where it has one from the start. */
  readonly editTokenHash: string | null;
  readonly owner: { readonly memberId: string; readonly userId: string } | null;
  /** The network of the caller. */
  readonly network: string;
};

/** A file on its way into a deploy, or one that is not taken and why. */
export type JobFile = { readonly path: string } & (
  | { readonly content: Uint8Array | AsyncIterable<Uint8Array> }
  | { readonly leftOut: string }
);

/** What was stored, whole and durable, and is not shown yet. */
export type JobContent = {
  /** Digest of the manifest, or of the program’s output or image: 64 hexadecimal digits. */
  readonly manifest: string;
  /** How it runs; null where it is files. */
  readonly program: ServedProgram['kind'] | null;
  /** None of a program. */
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
  /** The signed statement of how it was made. */
  readonly provenance: Uint8Array;
};

export type JobEnvironment = {
  /** Whether the build is trusted: only then it receives secrets. */
  readonly isTrusted: boolean;
  /** By name: what a build has in its environment, and its log must not show. None if it is not trusted. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Whether the site has secrets that the build does not receive. */
  readonly isWithheld: boolean;
};

/** A deploy that is recorded. */
export type PublishedDeploy = {
  /** Whether what was live before it had the same content. */
  readonly unchanged: boolean;
};

/** What jobs do with the sites that they deploy. Sources are kept with a site as they are given. */
export abstract class JobSites<Source> {
  /**
   * Records on the site that the job is to deploy it: the one that has the slug and that the caller may deploy, else a
   * new one. Harmless to repeat with the same ids. Refuses with `invalid_slug`, `slug_taken`, and as a redeploy does.
   */
  abstract queue(context: CommandContext, job: NewJob<Source>): Promise<JobTarget<Source>>;

  /** Refuses what `queue` would refuse, and records nothing: to be asked before the repository is looked at. */
  abstract assertCanQueue(context: CommandContext, job: Pick<NewJob<Source>, 'slug' | 'siteId'>): Promise<void>;

  /** Queues a job as `queue` does, with the source of the site’s last job. Refuses also with `nothing_to_rerun`. */
  abstract queueAgain(context: CommandContext, slug: string, jobId: string): Promise<JobTarget<Source>>;

  /** Refuses what `link` would refuse, and records nothing: to be asked before the repository is looked at. */
  abstract assertCanLink(context: CommandContext, slug: string): Promise<void>;

  /** Links a repository to the site, in place of the one before. Only owners may, with a session of their own. */
  abstract link(
    context: CommandContext,
    slug: string,
    linked: LinkedSource<Source> & { readonly linkId: string },
  ): Promise<LinkOutcome<Source>>;

  /** Removes the link; harmless to repeat. Only owners may, with a session of their own. */
  abstract unlink(context: CommandContext, slug: string): Promise<LinkOutcome<Source>>;

  /**
   * The link of the site, for callers who may deploy it; null if there is none. Refuses with `site_not_found` if there is
   * no such site.
   */
  abstract linkOf(
    context: CommandContext,
    slug: string,
  ): Promise<(LinkedSource<Source> & { readonly linkId: string }) | null>;

  /** The build that is due at this time in the schedule (RFC 3339); null if it was queued, or is not to be made. */
  abstract dueBuild(siteId: string, dueAt: string): Promise<DueBuild<Source> | null>;

  /** Records that the build of this time is queued. Nothing if it is recorded already. */
  abstract recordDueBuild(siteId: string, jobId: string, dueAt: string): Promise<void>;

  /** The id of the site with the slug, for a caller who may read its history. Refuses as that does. */
  abstract readBy(slug: string, context: CommandContext): Promise<string>;

  /** Refuses unless the caller may deploy the site as it stands now. */
  abstract assertCanDeploy(siteId: string, context: CommandContext): Promise<void>;

  /** Why a job with this right can no longer act on the site; null if it still can. */
  abstract whyRightEnded(siteId: string, right: JobRight): Promise<RightEnd | null>;

  /** Of these rights, those whose access token or grant was revoked. An expired one was not. */
  abstract revokedAmong<Right extends JobRight>(rights: readonly Right[]): Promise<readonly Right[]>;

  /**
   * What a build of this right is given as of now. Throws `RightEndedError`, also if the right ended while secrets were
   * read: they may be of a new owner.
   */
  abstract environment(siteId: string, right: JobRight): Promise<JobEnvironment>;

  /**
   * How many rights to deploy the site have ended so far: by its claim, and by removing or demoting members, tokens and
   * publishers. What an earlier build has left is not used by a build with another count.
   */
  abstract countEndedRights(siteId: string): Promise<number>;

  /**
   * Stores files by the rules of an upload, within the limits of the caller who started the job. What is never published
   * is left out, and `onLeftOut` is called with its path and the reason. Refuses with `rate_limited` what is more than
   * the share of the site.
   */
  abstract takeIn(
    siteId: string,
    files: AsyncIterable<JobFile>,
    startedBy: Actor,
    onLeftOut: (path: string, why: string) => void,
  ): Promise<JobContent>;

  /** Stores the output or image of a program as it arrives, within the operator’s limit. Refuses with `too_large` and `rate_limited`. */
  abstract takeInProgram(
    siteId: string,
    kind: ServedProgram['kind'],
    content: AsyncIterable<Uint8Array>,
  ): Promise<JobContent>;

  /** This deploy, where an earlier try published it, else null. Refuses with `site_not_found` when the site was deleted. */
  abstract findDeploy(siteId: string, deployId: string): Promise<PublishedDeploy | null>;

  /**
   * Makes it live, once; what was stated of it is stored by then. Throws `RightEndedError`; refuses with
   * `site_expired`.
   */
  abstract publish(
    deploy: JobDeploy,
    right: JobRight,
    by: { readonly at: string; readonly actor: Actor },
  ): Promise<PublishedDeploy>;
}
