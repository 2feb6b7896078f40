import type { RepoSource } from '../../../events/repo-source.js';
import type { Program } from '../../../events/site/program.js';
import type { SiteEvent } from '../../../events/site/site.events.js';

export type KnownDeploy = {
  readonly deployId: string;
  /** Digest of its manifest, or of the server’s output or image. */
  readonly manifest: string;
  /** Null for files. */
  readonly program: Program;
  /** The deploy that was live before it; null for the first one, and for one that was only stored. */
  readonly replaced: string | null;
};

export type KnownRollback = {
  readonly rollbackId: string;
  readonly deployId: string;
  /** The deploy that was live until then. */
  readonly replaced: string;
};

export type SiteJob = { readonly jobId: string; readonly source: RepoSource };

/** The deploys of a site, which of them is live, and the jobs that make deploys. */
export type DeploysState = {
  readonly live: KnownDeploy | null;
  /** The oldest first. */
  readonly deploys: readonly KnownDeploy[];
  readonly rollbacks: readonly KnownRollback[];
  /** The newest job that was to deploy the site, and the one before: those that can be run again. */
  readonly jobs: readonly SiteJob[];
};

export const noDeploys: DeploysState = { live: null, deploys: [], rollbacks: [], jobs: [] };

export function evolveDeploys(state: DeploysState, event: SiteEvent): Partial<DeploysState> | null {
  switch (event.type) {
    case 'SiteDeployed': {
      const { deployId, manifest, program, replaced } = event.data;
      const live = { deployId, manifest, program, replaced };
      return { live, deploys: [...state.deploys, live] };
    }
    case 'SiteStaged': {
      const { deployId, manifest, program } = event.data;
      return { deploys: [...state.deploys, { deployId, manifest, program, replaced: null }] };
    }
    case 'SiteRolledBack': {
      const { deployId, replaced, rollbackId } = event.data;
      const live = state.deploys.find((deploy) => deploy.deployId === deployId);
      if (!live) return null;
      return rollbackId === null
        ? { live }
        : { live, rollbacks: [...state.rollbacks, { rollbackId, deployId, replaced }] };
    }
    case 'SiteJobQueued':
      return { jobs: [event.data, ...state.jobs.slice(0, 1)] };
    default:
      return null;
  }
}
