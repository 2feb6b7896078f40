import { createHash } from 'node:crypto';
import type { Stele } from '../client.js';
import { type Changes, compareFiles } from './changes.js';
import { readLiveFiles, readSite, SiteMissingError } from './live-site.js';
import type { DeployBody, DeployTarget } from './send-deploy.js';

export type PrepareBodyOptions = {
  readonly site?: string | undefined;
  readonly create?: boolean | undefined;
  readonly merge?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
};

export type PreparedBody = DeployTarget & {
  /** Number of files in the live deploy. */
  readonly liveFiles: number;
  /** Differences from the live deploy, or null for an archive, which only the service unpacks. */
  readonly changes: Changes | null;
};

/**
 * Compares a page or an archive with the live deploy. Rejects with SiteMissingError if the named site does not exist
 * and `create` was not given.
 */
export async function prepareBody(
  stele: Stele,
  { body, type }: DeployBody,
  { site, create = false, merge = false, signal }: PrepareBodyOptions,
): Promise<PreparedBody> {
  const live = site ? await readSite(stele, site, signal) : null;
  if (site && !live && !create) throw new SiteMissingError(site);
  const remote = live ? await readLiveFiles(stele, live, signal) : [];
  // The service stores a page in UTF-8 unchanged.
  const sha256 = createHash('sha256').update(body).digest('hex');
  const page = { path: 'index.html', size: body.length, sha256 };
  const changes = type.startsWith('text/html') ? compareFiles([page], remote, { merge }) : null;
  return { stele, live, slug: site, merge, liveFiles: remote.length, changes };
}
