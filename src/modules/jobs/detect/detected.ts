import type { Plan, RepoSource } from '../../../events/repo-source.js';
import { refuse } from '../../../kernel/refusal.js';
import { assertCompleteCheckout } from './assert-complete-checkout.js';
import { type Detected, Detection, shortened } from './detection.js';
import { imageBases } from './dockerfile/image-bases.js';
import { baseFolder } from './host-files.js';
import { chooseNodeVersion } from './node-version.js';
import type { RepoFiles } from './repo-files.js';
import { parseRootDirectory } from './root-directory.js';

/** Image registries that are allowed unless the operator sets others. */
const USUAL_REGISTRIES = ['docker.io', 'ghcr.io', 'quay.io'];

export type PlanRequest = Pick<RepoSource, 'rootDirectory' | 'plan'>;

/**
 * Looks for a Dockerfile, Next.js, a generator or build script, and plain pages, in this order. Parts of the plan set
 * by the caller take precedence. `nodeVersions` are the versions available to builds besides the machine's own;
 * `registries` are the allowed image registries. Refuses with `plan_not_detected`.
 */
export async function detected(
  files: RepoFiles,
  { rootDirectory: asked, plan: wanted }: PlanRequest,
  nodeVersions: readonly string[] = [],
  registries: readonly string[] = USUAL_REGISTRIES,
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
  const found = await new Detection(files, rootDirectory).run(wanted.kind);
  const plan = plain({ ...found.plan, ...given(wanted), rootDirectory });
  if (plan.kind === 'container') {
    plan.dockerfile ??= 'Dockerfile';
    await imageBases(files, plan, registries);
  }
  if (plan.kind !== 'static') await assertCompleteCheckout(files, rootDirectory);
  if (plan.outputDirectory !== null)
    plan.outputDirectory = parseRootDirectory(plan.outputDirectory, 'plan.outputDirectory');
  if (plan.kind === 'static') {
    plan.outputDirectory ??= '.';
    if (!files.isFolder(`/${rootDirectory}/${plan.outputDirectory}`)) {
      return refuse('plan_not_detected', `The repository has no folder “${plan.outputDirectory}” to publish.`, [
        { path: 'plan.outputDirectory', message: 'is not in the repository' },
      ]);
    }
  }
  const { unmet } = chooseNodeVersion(plan.nodeVersion, nodeVersions);
  return { ...found, plan, warnings: unmet === null ? found.warnings : [...found.warnings, unmet] };
}

const given = (wanted: RepoSource['plan']): Partial<Plan> =>
  Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));

/** Makes untrusted strings, such as a script name or a version, well-formed and limits their length. */
const plain = (plan: Plan): Plan => {
  const members = Object.entries(plan).map(([name, value]) => [name, value && shortened(value)]);
  return { ...plan, ...Object.fromEntries(members) };
};
