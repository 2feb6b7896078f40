import { randomUUID } from 'node:crypto';
import { read, readRevision, type Schemas, type Stele } from 'stele-api/client';
import { SiteMissingError } from 'stele-api/deploy/prepare-deploy';
import type { DeployOutcome, PublishOptions } from 'stele-api/deploy/publish-deploy';
import { ProblemError } from 'stele-api/problem';

type BodyOptions = PublishOptions & {
  readonly site?: string | undefined;
  readonly create?: boolean | undefined;
  readonly merge?: boolean | undefined;
};

/** Publishes a page or an archive in one request. */
export async function publishBody(
  stele: Stele,
  { type, content }: { readonly type: string; readonly content: Buffer<ArrayBuffer> },
  { site, create = false, merge = false, message, draft, expires, ifMatch, signal }: BodyOptions,
): Promise<DeployOutcome & { readonly isNew: boolean }> {
  const live = site ? await readLive(stele, site) : null;
  if (site && !live && !create) throw new SiteMissingError(site);
  const url = stele.url('/v1/deploy', {
    slug: site,
    mode: merge ? 'merge' : undefined,
    publish: draft ? false : undefined,
    message,
    expires: live ? undefined : expires,
  });
  const condition = live ? (ifMatch ?? live.revision) : undefined;
  const response = await stele.send(
    new Request(url, {
      method: live ? 'PATCH' : 'POST',
      headers: { 'content-type': type, 'idempotency-key': randomUUID(), ...(condition && { 'if-match': condition }) },
      body: content,
      ...(signal && { signal }),
    }),
  );
  const result = (await response.json()) as Schemas['DeployResult'];
  const reader = result.editToken ? stele.with({ kind: 'edit', token: result.editToken }) : stele;
  const deploys = await read(
    reader.api.GET('/v1/sites/{slug}/deploys', { params: { path: { slug: result.slug }, query: { limit: 20 } } }),
  ).catch(() => ({ items: [] }));
  const numberOf = (id: string | null | undefined) => deploys.items.find(({ deployId }) => deployId === id)?.number;
  return {
    ...result,
    number: numberOf(result.deployId),
    previousNumber: numberOf(live?.deployId),
    revision: readRevision(response),
    sent: { kind: 'archive', files: result.files, bytes: content.length },
    isNew: live === null,
  };
}

async function readLive(stele: Stele, slug: string) {
  try {
    const request = stele.api.GET('/v1/sites/{slug}', { params: { path: { slug } } });
    return { ...(await read(request)), revision: readRevision((await request).response) };
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'site_not_found') return null;
    throw error;
  }
}
