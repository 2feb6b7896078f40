import type { RepoSource } from '../../../../events/repo-source.js';
import type { DeployServer } from '../../../../events/site/deploy-server.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';

export type KnownDeploy = {
  readonly deployId: string;
  /** Digest of the manifest, or of the server's output or image. */
  readonly manifest: string;
  /** Server of the deploy, or null for a deploy of files. */
  readonly program: DeployServer;
  /** The deploy that this one replaced; null for the first deploy and for a deploy that was only stored. */
  readonly replaced: string | null;
  /** The commit that the deploy was built from; null for an upload. */
  readonly commit: string | null;
  /** Whether a trusted job built the deploy; null if that was not recorded. */
  readonly trusted: boolean | null;
};

export type KnownRollback = {
  readonly rollbackId: string;
  readonly deployId: string;
  /** The deploy that was live before the rollback. */
  readonly replaced: string;
};

export type RunningSiteJob = {
  readonly jobId: string;
  readonly source: RepoSource;
  /** ID of the site's link to a repository if the job builds the linked branch without overrides; otherwise null. */
  readonly linkId: string | null;
};

export type DeploysState = {
  readonly live: KnownDeploy | null;
  /** Deploys, oldest first. */
  readonly deploys: readonly KnownDeploy[];
  readonly rollbacks: readonly KnownRollback[];
  /** The two newest jobs, newest first. Only the newest one can be run again. */
  readonly jobs: readonly RunningSiteJob[];
  /** Scheduled time (RFC 3339) of the newest scheduled job, or null if there was none. */
  readonly builtDueAt: string | null;
  /**
   * ID of a deploy with a server that went live before events recorded whether builds are trusted. The server received
   * secrets at that time, and keeps them. Null if there is no such deploy.
   */
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

export const deploysVersion = 1;

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
      // Before events recorded whether builds are trusted, a rollback moved the secrets to the server of the deploy
      // that it made live.
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
