import type { Schemas, Stele } from '../client.js';
import { type PrepareOptions, prepareDeploy } from './prepare-deploy.js';
import { type DeployOutcome, type PublishOptions, publishDeploy } from './publish-deploy.js';

/** Thrown before any content is sent, if the service would refuse the deploy. Contains all reasons. */
export class DeployRefusedError extends Error {
  override readonly name = 'DeployRefusedError';
  readonly problems: Schemas['Preflight']['problems'];

  constructor(problems: Schemas['Preflight']['problems']) {
    super(problems.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('\n'));
    this.problems = problems;
  }
}

/**
 * Deploys a folder: sends only content that the service does not have, continues interrupted uploads, and publishes
 * everything at once. Rejects with SiteMissingError if the named site does not exist and `create` was not given, with
 * DeployRefusedError if the service would refuse the deploy, and with ProblemError `revision_mismatch` if the site has
 * changed since it was compared.
 */
export async function deploy(
  stele: Stele,
  folder: string,
  options: PrepareOptions & PublishOptions = {},
): Promise<DeployOutcome> {
  const prepared = await prepareDeploy(stele, folder, options);
  assertAccepted(prepared.problems);
  return publishDeploy(prepared, options);
}

export function assertAccepted(problems: Schemas['Preflight']['problems']): void {
  if (problems.length > 0) throw new DeployRefusedError(problems);
}
