import { attachTrait } from './api-extension.js';

/** A runtime expression (OpenAPI 3.1, "Runtime Expressions"). */
type Expression = `$${'request' | 'response'}.${string}`;

export type OperationLink = { readonly operationId: string; readonly parameters: Readonly<Record<string, Expression>> };

/** Returns an expression for a member of the response, such as `items/0/id`. */
export const fromResponse = (member: string): Expression => `$response.body#/${member}`;

const slug = fromResponse('slug');
const sameSlug: Expression = '$request.path.slug';

const link = (parameters: OperationLink['parameters'], operationIds: readonly string[]): readonly OperationLink[] =>
  operationIds.map((operationId) => ({ operationId, parameters }));

/** Builds links whose parameters do not include the slug in the path of the request, such as links to a job. */
export const buildLinks = (parameters: OperationLink['parameters'], ...operationIds: readonly string[]) =>
  link(parameters, operationIds);

export const linksOnSameSite = (parameters: OperationLink['parameters'], ...operationIds: readonly string[]) =>
  link({ slug: sameSlug, ...parameters }, operationIds);

export const linksOnReturnedSite = (...operationIds: readonly string[]) => link({ slug }, operationIds);

export const siteLinks = linksOnReturnedSite(
  'getSite',
  'history',
  'listDeploys',
  'listFiles',
  'listCapabilities',
  'watchSite',
  'logs',
);
export const deployLinks = buildLinks(
  { slug, deployId: fromResponse('deployId') },
  'manifest',
  'provenance',
  'download',
);
export const jobLinks = buildLinks({ id: fromResponse('jobId') }, 'getJob', 'watchJob', 'stopJob');
export const domainLinks = buildLinks(
  { slug, hostname: fromResponse('hostname') },
  'checkDomain',
  'exportZone',
  'removeDomain',
);
export const uploadLinks = buildLinks(
  { sha256: '$request.path.sha256' },
  'uploadProgress',
  'resumeUpload',
  'cancelUpload',
);

/** Lists the operations that a client can call after this one. */
export const ApiLinks = (...links: readonly OperationLink[]) => attachTrait('x-links', links);
