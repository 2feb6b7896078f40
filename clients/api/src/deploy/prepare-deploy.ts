import { resolve } from 'node:path';
import { read, type Schemas, type Stele } from '../client.js';
import { ProblemError } from '../problem.js';
import { buildDeployArchive, isArchiveBetter } from './archive-choice.js';
import { type Changes, compareFiles } from './changes.js';
import { HashCache } from './hash-cache.js';
import { type HashedFile, type HashProgress, hashFiles } from './hash-files.js';
import { type LiveSite, readLiveFiles, readSite, SiteMissingError } from './live-site.js';
import type { LeftOut } from './site-paths.js';
import { KeptUploadToken } from './upload-token.js';
import { walkFolder } from './walk-folder.js';

export type PrepareOptions = {
  /** The site to deploy to. Without it, the service creates a site and chooses its name. */
  readonly site?: string | undefined;
  /** Creates the named site if it does not exist. Without it, a misspelled name is an error. */
  readonly create?: boolean | undefined;
  /** Adds the files to the live ones instead of replacing the whole site. */
  readonly merge?: boolean | undefined;
  /** A folder for file hashes and upload tokens, outside the deployed folder. Without it, nothing is stored. */
  readonly cacheFolder?: string | undefined;
  readonly clientVersion?: string | undefined;
  /** Only compares, and does not build an archive. */
  readonly dryRun?: boolean | undefined;
  readonly onFound?: (found: { readonly files: number; readonly bytes: number }) => void;
  readonly onHashed?: HashProgress;
  readonly signal?: AbortSignal | undefined;
};

/** A deploy that has not been sent: its files, and what they would change. */
export type PreparedDeploy = {
  readonly stele: Stele;
  readonly folder: string;
  readonly files: readonly HashedFile[];
  readonly bytes: number;
  readonly leftOut: readonly LeftOut[];
  /** The site that will be changed, or null if one will be created. */
  readonly live: LiveSite | null;
  readonly slug: string | undefined;
  readonly merge: boolean;
  /** Differences from the live deploy. For a new site, all files are added. */
  readonly changes: Changes;
  /** Files whose content the service does not have. */
  readonly missing: readonly HashedFile[];
  /** The archive of a new site, which is built while the service checks the list of files. */
  readonly archive: Promise<Buffer<ArrayBuffer> | null> | null;
  /** Reasons why the service would refuse this deploy. */
  readonly problems: Schemas['Preflight']['problems'];
  readonly limits: Schemas['Preflight']['limits'];
  readonly latestVersion: string;
};

/** Reads a folder and compares it with the live deploy. Sends the list of files, but no content. */
export async function prepareDeploy(stele: Stele, folder: string, options: PrepareOptions): Promise<PreparedDeploy> {
  const { site, create = false, merge = false, cacheFolder, signal } = options;
  const [local, live] = await Promise.all([readLocal(folder, options), site ? readSite(stele, site, signal) : null]);
  if (site && !live && !create) throw new SiteMissingError(site);
  const { files, leftOut } = local;
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  // The service has no content for a new site yet, unless an earlier attempt was interrupted.
  const isArchiveLikely = !live && !options.dryRun && isArchiveBetter({ files, missing: files, bytes });
  const archive = isArchiveLikely ? buildDeployArchive(files) : null;
  // If the preflight fails, nothing awaits the archive, so a failure of the archive would be an unhandled rejection.
  archive?.catch(() => undefined);
  const token = stele.credential || !cacheFolder ? null : new KeptUploadToken(cacheFolder, stele.instance, folder);
  const [{ checked, caller }, remote] = await Promise.all([
    preflight(stele, token, { files, slug: site, options }),
    live ? readLiveFiles(stele, live, signal) : [],
  ]);
  const missing = new Set(checked.missing);
  return {
    stele: caller,
    folder: resolve(folder),
    files,
    bytes,
    leftOut,
    live,
    slug: site,
    merge,
    changes: compareFiles(files, remote, { merge }),
    missing: files.filter(({ sha256 }) => missing.has(sha256)),
    archive,
    problems: checked.problems,
    limits: checked.limits,
    latestVersion: checked.latestVersion,
  };
}

async function readLocal(folder: string, { cacheFolder, onFound, onHashed, signal }: PrepareOptions) {
  const { files, leftOut } = await walkFolder(folder);
  onFound?.({ files: files.length, bytes: files.reduce((sum, { stats }) => sum + Number(stats.size), 0) });
  const cache = cacheFolder ? await HashCache.open(cacheFolder, resolve(folder)) : null;
  const hashed = await hashFiles(files, {
    cache,
    ...(onHashed && { onProgress: onHashed }),
    ...(signal && { signal }),
  });
  return { files: hashed, leftOut };
}

type Asked = { readonly files: readonly HashedFile[]; readonly slug: string | undefined; options: PrepareOptions };

/**
 * Sends the list of files to the service, which checks it. A caller without credentials gets an upload token. It is
 * stored, so that interrupted uploads can continue.
 */
async function preflight(stele: Stele, token: KeptUploadToken | null, { files, slug, options }: Asked) {
  const { clientVersion, signal } = options;
  const ask = (caller: Stele) =>
    read(
      caller.api.POST('/v1/cli/preflight', {
        body: {
          files: files.map(({ path, size, sha256 }) => ({ path, size, sha256 })),
          ...(slug && { slug }),
          ...(clientVersion && { cliVersion: clientVersion }),
        },
        ...(signal && { signal }),
      }),
    );
  const kept = await token?.read();
  const keptCaller = kept ? stele.with({ kind: 'upload', token: kept }) : stele;
  const checked = await ask(keptCaller).catch((error) => {
    if (kept && error instanceof ProblemError && error.status === 401) return null;
    throw error;
  });
  // A caller that has a credential, such as the stored token, needs no new upload token.
  if (checked && (kept || stele.credential || !checked.uploadToken)) return { checked, caller: keptCaller };
  const fresh = checked ?? (await ask(stele));
  if (!fresh.uploadToken) return { checked: fresh, caller: stele };
  await token?.write(fresh.uploadToken);
  return { checked: fresh, caller: stele.with({ kind: 'upload', token: fresh.uploadToken }) };
}
