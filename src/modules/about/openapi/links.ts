import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from './document.js';

type Parameters = Readonly<Record<string, string>>;
/** What may be asked next: the operation, and where its parameters stand in the request and the answer. */
type Next = readonly [operationId: string, parameters: Parameters];

const answered = (member: string) => `$response.body#/${member}`;
const asked = (name: string) => `$request.path.${name}`;

const slug = answered('slug');
const sameSite = { slug: asked('slug') };
const oneOf = (member = 'id'): Parameters => ({ ...sameSite, id: answered(member) });
const to = (parameters: Parameters, ...operations: readonly string[]): readonly Next[] =>
  operations.map((operationId) => [operationId, parameters]);

const ofSite = to({ slug }, 'getSite', 'history', 'listDeploys', 'listFiles', 'listCapabilities', 'watchSite', 'logs');
const ofDeploy = to({ slug, deployId: answered('deployId') }, 'manifest', 'provenance', 'download');
const ofJob = to({ id: answered('jobId') }, 'getJob', 'watchJob', 'stopJob');
const ofDomain = to({ slug, hostname: answered('hostname') }, 'checkDomain', 'exportZone', 'removeDomain');
const firstDeploy = to({ ...sameSite, deployId: answered('items/0/deployId') }, 'manifest', 'provenance', 'listFiles');
const ofUpload = to({ sha256: asked('sha256') }, 'uploadProgress', 'resumeUpload', 'cancelUpload');

/** By the operation that was answered. */
const next: Readonly<Record<string, readonly Next[]>> = {
  deploy: [...ofSite, ...ofDeploy],
  redeploy: ofDeploy,
  sendUpload: [...ofSite, ...ofDeploy],
  rollback: ofDeploy,
  renameSite: ofSite,
  claimBySession: to({ slug }, 'getSite', 'listMembers', 'rerun'),
  mySites: to({ slug: answered('items/0/slug') }, 'getSite', 'listDeploys'),
  listDeploys: firstDeploy,
  listFiles: to({ ...sameSite, path: answered('items/0/path') }, 'readFile'),
  uploadFile: ofUpload,
  resumeUpload: ofUpload,
  inviteMember: to(oneOf(), 'revokeInvite'),
  listInvites: to(oneOf('items/0/id'), 'revokeInvite'),
  listMembers: to(oneOf('items/0/id'), 'changeRole', 'removeMember'),
  setSecret: to({ ...sameSite, name: answered('name') }, 'deleteSecret'),
  makeSiteToken: to(oneOf(), 'endSiteToken'),
  listSiteTokens: to(oneOf('items/0/id'), 'endSiteToken'),
  issueConnectorToken: to(oneOf(), 'revokeConnectorToken'),
  listConnectorTokens: to(oneOf('items/0/id'), 'revokeConnectorToken'),
  trustPublisher: to(oneOf(), 'removePublisher'),
  listPublishers: to(oneOf('items/0/id'), 'removePublisher'),
  addDomain: ofDomain,
  checkDomain: ofDomain,
  deployRepo: ofJob,
  rerun: ofJob,
  linkRepository: to(sameSite, 'getLinkedRepository', 'unlinkRepository'),
  listJobs: to({ id: answered('items/0/id') }, 'getJob', 'watchJob', 'stopJob'),
  invokeConnector: [...to(oneOf(), 'showInvocation'), ...to({ id: answered('id') }, 'reportResult')],
  pollConnector: to({ id: answered('id') }, 'reportResult'),
  listInvocations: to(oneOf('items/0/id'), 'showInvocation'),
  makeMyToken: to({ id: answered('id') }, 'endMyToken'),
  myTokens: to({ id: answered('items/0/id') }, 'endMyToken'),
  recordRunEvent: to({ runId: answered('runId') }, 'watchRun'),
  listTemplates: to({ name: answered('items/0/name') }, 'previewTemplate'),
  tellIncident: to({ id: answered('id') }, 'updateIncident'),
  listIncidents: to({ id: answered('items/0/id') }, 'updateIncident'),
};

/** Says of answers what may be asked next of what they name (OpenAPI 3.1, “Link Object”). */
export function links(document: OpenAPIObject): OpenAPIObject {
  for (const { operation } of operationsOf(document)) {
    const linked = (next[operation.operationId ?? ''] ?? []).map(([operationId, parameters]) => [
      operationId,
      { operationId, parameters },
    ]);
    if (linked.length === 0) continue;
    for (const [status, answer] of Object.entries(operation.responses))
      if (status.startsWith('2')) answer.links = Object.fromEntries(linked);
  }
  return document;
}
