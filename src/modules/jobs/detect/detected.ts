import type { Plan, RepoSource } from '../../../events/repo-source.js';
import { Refusal, refuse } from '../../../kernel/refusal.js';
import type { BuildSettings } from '../../../settings/build-settings.js';
import { assertCompleteCheckout, warnOfPointers } from './assert-complete-checkout.js';
import { type Detected, Detection, shortened } from './detection.js';
import { imageBases, parseDockerfilePath } from './dockerfile/image-bases.js';
import { warnOfDownloads } from './dockerfile/network-use.js';
import { baseFolder } from './host-files.js';
import { chooseNodeVersion } from './node-version.js';
import type { RepoFiles } from './repo-files.js';
import { parseRootDirectory } from './root-directory.js';

export type BuildContext = Pick<BuildSettings, 'nodeVersions' | 'registries' | 'hosts' | 'hugo' | 'imageNetwork'>;

export const USUAL_CONTEXT: BuildContext = {
  nodeVersions: [],
  registries: ['docker.io', 'ghcr.io', 'quay.io'],
  hosts: null,
  hugo: null,
  imageNetwork: 'none',
};

export type PlanRequest = Pick<RepoSource, 'rootDirectory' | 'plan'>;

/**
 * Detects how to build a site from a repository, with evidence: Next.js, a generator or a build script, plain pages, or
 * a Dockerfile, in this order. Parts of the plan that the caller sets take precedence. Refuses with
 * `plan_not_detected`.
 */
export async function detected(
  files: RepoFiles,
  { rootDirectory: asked, plan: wanted }: PlanRequest,
  context: BuildContext,
): Promise<Detected> {
  const isAsked = wanted.rootDirectory !== undefined || asked !== null;
  const rootDirectory = isAsked
    ? parseRootDirectory(wanted.rootDirectory ?? asked)
    : ((await baseFolder(files)) ?? '.');
  if (!files.isFolder(`/${rootDirectory}`)) {
    return refuse('plan_not_detected', `The repository has no folder “${rootDirectory}”.`, [
      { path: 'rootDirectory', message: 'is not in the repository' },
    ]);
  }
  const generators = { hasHugo: context.hugo !== null, hosts: context.hosts };
  const planOf = async (folder: string) =>
    detected(files, { rootDirectory: folder, plan: {} }, context).then(({ plan }) => plan, nullIfRefused);
  const found = await new Detection(files, rootDirectory, generators, planOf).run(wanted.kind);
  const plan = plain({ ...found.plan, ...given(wanted), rootDirectory });
  const warnings = [...found.warnings];
  if (plan.kind === 'container') {
    plan.dockerfile ??= 'Dockerfile';
    await imageBases(files, plan, context.registries);
    const text = await files.readFile(`/${rootDirectory}/${parseDockerfilePath(plan.dockerfile)}`);
    warnings.push(...listed(warnOfDownloads(text, context.imageNetwork)));
  }
  if (plan.kind !== 'static') await assertCompleteCheckout(files, rootDirectory);
  if (plan.outputDirectory !== null)
    plan.outputDirectory = parseRootDirectory(plan.outputDirectory, 'plan.outputDirectory');
  if (plan.kind === 'static') {
    plan.outputDirectory ??= '.';
    const folder = files.resolve('/', rootDirectory, plan.outputDirectory);
    if (!files.isFolder(folder)) {
      return refuse('plan_not_detected', `The repository has no folder “${plan.outputDirectory}” to publish.`, [
        { path: 'plan.outputDirectory', message: 'is not in the repository' },
      ]);
    }
    warnings.push(...listed(await warnOfPointers(files, folder.slice(1) || '.')));
  }
  const { unmet } = chooseNodeVersion(plan.nodeVersion, context.nodeVersions);
  return { ...found, plan, warnings: [...warnings, ...listed(unmet)] };
}

const listed = (warning: string | null) => (warning === null ? [] : [warning]);

const nullIfRefused = (error: unknown): null => {
  if (error instanceof Refusal) return null;
  throw error;
};

const given = (wanted: RepoSource['plan']): Partial<Plan> =>
  Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));

/** Makes untrusted strings, such as a script name or a version, well-formed and limits their length. */
const plain = (plan: Plan): Plan => {
  const members = Object.entries(plan).map(([name, value]) => [name, value && shortened(value)]);
  return { ...plan, ...Object.fromEntries(members) };
};
