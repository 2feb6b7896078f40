import type { RepoSource } from '../../../events/repo-source.js';
import type { DeployServer } from '../../../events/site/deploy-server.js';
import type { SiteEvent } from '../../../events/site/site.events.js';

export type KnownDeploy = {
  readonly deployId: string;
  /** Digest of its manifest, or of the server’s output or image. */
  readonly manifest: string;
  /** Null for a deploy of files. */
  readonly program: DeployServer;
  /** The deploy that was live before it; null for the first one, and for one that was only stored. */
  readonly replaced: string | null;
  /** The commit from which it was built; null for an upload. */
  readonly commit: string | null;
  /** Whether a trusted job built it; null if that was not recorded. */
  readonly trusted: boolean | null;
};

export type KnownRollback = {
  readonly rollbackId: string;
  readonly deployId: string;
  /** The deploy that was live before. */
  readonly replaced: string;
};

export type RunningSiteJob = {
  readonly jobId: string;
  readonly source: RepoSource;
  /** The link whose branch it builds with nothing overridden; null for any other job. */
  readonly linkId: string | null;
};

/** The deploys of a site, which of them is live, and the jobs that make deploys. */
export type DeploysState = {
  readonly live: KnownDeploy | null;
  /** Oldest first. */
  readonly deploys: readonly KnownDeploy[];
  readonly rollbacks: readonly KnownRollback[];
  /** The newest job that was to deploy the site, and the one before: these can be run again. */
  readonly jobs: readonly RunningSiteJob[];
  /** The time in the schedule (RFC 3339) of the newest scheduled job; null if there was none. */
  readonly builtDueAt: string | null;
  /** The deploy whose server keeps the secrets that it had before trust was recorded; null if there is none. */
  readonly keepsSecrets: string | null;
};

export const noDeploys: DeploysState = {
  live: null,
  deploys: [],
  rollbacks: [],
  jobs: [],
  builtDueAt: null,
  keepsSecrets: null,
};

export function evolveDeploys(state: DeploysState, event: SiteEvent): Partial<DeploysState> | null {
  switch (event.type) {
    case 'SiteDeployed': {
      const { deployId, manifest, program, replaced, commit, trusted } = event.data;
      const live = { deployId, manifest, program, replaced, commit, trusted };
      const keepsSecrets = program !== null && trusted === null ? deployId : null;
      return { live, deploys: [...state.deploys, live], keepsSecrets };
    }
    case 'SiteStaged': {
      const { deployId, manifest, program, commit, trusted } = event.data;
      return { deploys: [...state.deploys, { deployId, manifest, program, replaced: null, commit, trusted }] };
    }
    case 'SiteRolledBack': {
      const { deployId, replaced, rollbackId, trusted } = event.data;
      const live = state.deploys.find((deploy) => deploy.deployId === deployId);
      if (!live) return null;
      const rollbacks =
        rollbackId === null ? state.rollbacks : [...state.rollbacks, { rollbackId, deployId, replaced }];
      // A rollback from before trust was recorded moved the secrets to its server too.
      const secretsMovedTo = live.program === null ? null : deployId;
      return { live, rollbacks, keepsSecrets: trusted === null ? secretsMovedTo : state.keepsSecrets };
    }
    case 'SiteJobQueued': {
      const { jobId, source, linkId, dueAt } = event.data;
      return {
        jobs: [{ jobId, source, linkId }, ...state.jobs.slice(0, 1)],
        builtDueAt: dueAt ?? state.builtDueAt,
      };
    }
    default:
      return null;
  }
}
