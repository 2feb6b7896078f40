import { randomUUID } from 'node:crypto';
import { read, readRevision, type Schemas, type Stele } from '../client.js';
import type { SentBytes } from '../network/bodies.js';
import type { LiveSite } from './live-site.js';

export type SendOptions = {
  /** Shown in the history of the site. */
  readonly message?: string | undefined;
  /** Stores the deploy without making it live. Only for a site that exists. */
  readonly draft?: boolean | undefined;
  /** Seconds, or a number with s, m, h or d, after which a new anonymous site expires. */
  readonly expires?: string | undefined;
  /**
   * The expected revision of the site. Defaults to the one that was read before the deploy. `*` accepts any revision.
   */
  readonly ifMatch?: string | undefined;
  /** Called as soon as the deploy is published. Should store an edit token in the result, which is not returned again. */
  readonly onPublished?: ((result: Schemas['DeployResult']) => Promise<void>) | undefined;
  readonly signal?: AbortSignal | undefined;
};

export type DeployBody = {
  readonly body: string | Buffer<ArrayBuffer>;
  readonly type: string;
  readonly onSent?: SentBytes | undefined;
};

export type DeployTarget = {
  readonly stele: Stele;
  /** The site that is changed, or null if one is created. */
  readonly live: LiveSite | null;
  readonly slug: string | undefined;
  readonly merge: boolean;
};

export type SentDeploy = Schemas['DeployResult'] & {
  /** Number of the deploy in the history of the site. */
  readonly number: number | undefined;
  /** Number of the deploy that was live before. */
  readonly previousNumber: number | undefined;
  readonly revision: string | undefined;
};

/** Sends the request that publishes a deploy. Content that is not in the body must already have been uploaded. */
export async function sendDeploy(
  { stele, live, slug, merge }: DeployTarget,
  { message, draft, expires, ifMatch = live?.revision, onPublished, signal }: SendOptions,
  { body, type, onSent }: DeployBody,
): Promise<SentDeploy> {
  const url = stele.url('/v1/deploy', {
    slug: live?.slug ?? slug,
    mode: merge ? 'merge' : undefined,
    publish: draft ? false : undefined,
    message,
    expires: live ? undefined : expires,
  });
  const headers = { 'content-type': type, 'idempotency-key': randomUUID() };
  const request = new Request(url, {
    method: live ? 'PATCH' : 'POST',
    headers: { ...headers, ...(live && ifMatch && { 'if-match': ifMatch }) },
    ...(signal && { signal }),
  });
  const response = await stele.send(request, typeof body === 'string' ? Buffer.from(body) : body, onSent);
  const result: Schemas['DeployResult'] = await response.json();
  await onPublished?.(result);
  const revision = readRevision(response);
  if (!live) return { ...result, number: 1, previousNumber: undefined, revision };
  const numberOf = await readNumbers(stele, result.slug);
  return { ...result, number: numberOf(result.deployId), previousNumber: numberOf(live.deployId), revision };
}

/**
 * Returns a function that looks up the number of a recent deploy by ID. The response to a deploy or rollback does not
 * contain the number.
 */
export async function readNumbers(
  stele: Stele,
  slug: string,
  limit = 20,
): Promise<(id: string | null | undefined) => number | undefined> {
  const params = { path: { slug }, query: { limit } };
  // Ignore an error: the site has already changed, and the change must not be reported as failed.
  const { items } = await read(stele.api.GET('/v1/sites/{slug}/deploys', { params })).catch(() => ({ items: [] }));
  return (id) => items.find(({ deployId }) => deployId === id)?.number;
}
