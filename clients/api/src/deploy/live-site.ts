import { read, readRevision, type Stele } from '../client.js';
import { ProblemError } from '../problem.js';
import { readLines } from '../streams/follow-stream.js';
import type { RemoteFile } from './changes.js';

/** An existing site, as it was when it was read. */
export type LiveSite = {
  readonly slug: string;
  readonly url: string;
  readonly deployId: string | null;
  /** Sent with the deploy, which fails if the site has changed since this revision. */
  readonly revision: string | undefined;
};

/** The named site does not exist, or is not visible to the caller, and `create` was not given. */
export class SiteMissingError extends Error {
  override readonly name = 'SiteMissingError';
  readonly site: string;

  constructor(site: string) {
    super(`There is no site “${site}”, or you have no access to it.`);
    this.site = site;
  }
}

/** Reads a site, or returns null if it does not exist or is not visible to the caller. */
export async function readSite(stele: Stele, slug: string, signal?: AbortSignal): Promise<LiveSite | null> {
  try {
    const request = stele.api.GET('/v1/sites/{slug}', { params: { path: { slug } }, ...(signal && { signal }) });
    const { url, deployId, slug: current } = await read(request);
    return { slug: current, url, deployId, revision: readRevision((await request).response) };
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'site_not_found') return null;
    throw error;
  }
}

/** Returns the files of the live deploy, or none if no deploy is live. */
export async function readLiveFiles(
  stele: Stele,
  { slug, deployId }: LiveSite,
  signal?: AbortSignal,
): Promise<RemoteFile[]> {
  if (!deployId) return [];
  const url = stele.url(`/v1/sites/${slug}/files`, { deployId });
  const init = { headers: { accept: 'application/x-ndjson' }, ...(signal && { signal }) };
  const response = await stele.send(new Request(url, init));
  const files: RemoteFile[] = [];
  for await (const line of readLines(response)) if (line !== '') files.push(JSON.parse(line));
  return files;
}
