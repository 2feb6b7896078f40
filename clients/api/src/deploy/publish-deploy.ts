import { randomUUID } from 'node:crypto';
import { read, readRevision, type Schemas } from '../client.js';
import { buildArchive } from './archive.js';
import type { HashedFile } from './hash-files.js';
import type { PreparedDeploy } from './prepare-deploy.js';
import { type SentBytes, uploadFiles } from './upload-files.js';

export type PublishOptions = {
  /** Shown in the history of the site. */
  readonly message?: string | undefined;
  /** Stores the deploy without making it live. Only for a site that exists. */
  readonly draft?: boolean | undefined;
  /** Seconds, or a number with s, m, h or d, after which a new anonymous site expires. */
  readonly expires?: string | undefined;
  /** Overrides the revision that the deploy was compared with, or turns the comparison off with `*`. */
  readonly ifMatch?: string | undefined;
  /** Called once before content is sent. An archive has fewer bytes than its files. */
  readonly onTransfer?: (transfer: Transfer) => void;
  readonly onSent?: SentBytes;
  readonly signal?: AbortSignal | undefined;
};

export type Transfer = {
  readonly kind: 'archive' | 'files' | 'nothing';
  readonly files: number;
  readonly bytes: number;
};

export type DeployOutcome = Schemas['DeployResult'] & {
  /** Number of the deploy in the history of the site. */
  readonly number: number | undefined;
  /** Number of the deploy that was live before. */
  readonly previousNumber: number | undefined;
  readonly revision: string | undefined;
  readonly sent: Transfer;
};

/** What is sent again if the connection breaks, so it is the same as for a single file. */
const MAX_ARCHIVE_BYTES = 8 * 1024 * 1024;
/** Content larger than this is unlikely to fit after compression, so compressing it would be wasted work. */
const MAX_ARCHIVE_CONTENT = 64 * 1024 * 1024;

/** Sends what the service does not have, and then publishes everything at once. */
export async function publishDeploy(prepared: PreparedDeploy, options: PublishOptions = {}): Promise<DeployOutcome> {
  const { stele, files, missing } = prepared;
  const archive = isArchiveBetter(prepared) ? await buildArchive(files, MAX_ARCHIVE_BYTES) : null;
  const sent: Transfer = archive
    ? { kind: 'archive', files: files.length, bytes: archive.length }
    : { kind: missing.length > 0 ? 'files' : 'nothing', files: missing.length, bytes: sumOfContents(missing) };
  options.onTransfer?.(sent);
  if (archive) {
    const result = await send(prepared, options, { body: archive, type: 'application/gzip' });
    options.onSent?.(archive.length);
    return complete(prepared, result, sent);
  }
  await uploadFiles(stele, missing, { onSent: options.onSent, signal: options.signal });
  const list = JSON.stringify({ files: files.map(({ path, sha256 }) => ({ path, sha256 })) });
  return complete(prepared, await send(prepared, options, { body: list, type: 'application/json' }), sent);
}

type Body = { readonly body: string | Buffer<ArrayBuffer>; readonly type: string };
type Sent = { readonly result: Schemas['DeployResult']; readonly revision: string | undefined };

async function send(
  { stele, live, slug, merge }: PreparedDeploy,
  { message, draft, expires, ifMatch = live?.revision, signal }: PublishOptions,
  { body, type }: Body,
): Promise<Sent> {
  const url = stele.url('/v1/deploy', {
    slug: live?.slug ?? slug,
    mode: merge ? 'merge' : undefined,
    publish: draft ? false : undefined,
    message,
    expires: live ? undefined : expires,
  });
  const response = await stele.send(
    new Request(url, {
      method: live ? 'PATCH' : 'POST',
      headers: {
        'content-type': type,
        'idempotency-key': randomUUID(),
        ...(live && ifMatch && { 'if-match': ifMatch }),
      },
      body,
      ...(signal && { signal }),
    }),
  );
  return { result: (await response.json()) as Schemas['DeployResult'], revision: readRevision(response) };
}

/** Adds the number of the deploy, which the response of a deploy does not have. */
async function complete({ stele, live }: PreparedDeploy, { result, revision }: Sent, sent: Transfer) {
  const reader = result.editToken ? stele.with({ kind: 'edit', token: result.editToken }) : stele;
  const path = { slug: result.slug };
  // The deploy has succeeded. A failure to read its number must not make it look as if it had not.
  const deploys = await read(
    reader.api.GET('/v1/sites/{slug}/deploys', { params: { path, query: { limit: 20 } } }),
  ).catch(() => ({ items: [] }));
  const numberOf = (id: string | null | undefined) => deploys.items.find(({ deployId }) => deployId === id)?.number;
  return { ...result, number: numberOf(result.deployId), previousNumber: numberOf(live?.deployId), revision, sent };
}

/**
 * Whether one archive is likely to be faster than single files: most of the content is missing, and it is not too
 * large. The service drops a folder that contains everything from the paths in an archive, so such a site is sent as
 * files.
 */
export function isArchiveBetter({
  files,
  missing,
  bytes,
}: Pick<PreparedDeploy, 'files' | 'missing' | 'bytes'>): boolean {
  const folders = new Set(files.map(({ path }) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '')));
  const isInOneFolder = folders.size === 1 && !folders.has('');
  return missing.length > 1 && !isInOneFolder && bytes <= MAX_ARCHIVE_CONTENT && sumOfContents(missing) * 2 > bytes;
}

/** Bytes of the distinct contents, as each is sent once. */
function sumOfContents(files: readonly HashedFile[]): number {
  return [...new Map(files.map(({ sha256, size }) => [sha256, size])).values()].reduce((sum, size) => sum + size, 0);
}
