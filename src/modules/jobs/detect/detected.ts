import type { Plan, RepoSource } from '../../../events/repo-source.js';
import { refuse } from '../../../kernel/refusal.js';
import { type Detected, Detection, shortened } from './detection.js';
import { imageBases } from './dockerfile/image-bases.js';
import { baseFolder } from './host-files.js';
import { nodeFor } from './node-version.js';
import type { RepoFiles } from './repo-files.js';
import { rootDirectoryOf } from './root-directory.js';
import { assertWholeTree } from './whole-tree.js';

/** Where images come from unless the operator says otherwise. */
const USUAL_REGISTRIES = ['docker.io', 'ghcr.io', 'quay.io'];

export type PlanRequest = Pick<RepoSource, 'rootDirectory' | 'plan'>;

/**
 * How a repository becomes a site, with what says so: a Dockerfile, Next.js, a generator or a build script, plain
 * pages, in this order. What the caller wants of the plan stands. `nodeVersions` are those that builds have beside our
 * own, `registries` where images may come from. Refuses with `plan_not_detected`.
 */
export async function detected(
  files: RepoFiles,
  { rootDirectory: asked, plan: wanted }: PlanRequest,
  nodeVersions: readonly string[] = [],
  registries: readonly string[] = USUAL_REGISTRIES,
): Promise<Detected> {
  const isAsked = wanted.rootDirectory !== undefined || asked !== null;
  const rootDirectory = isAsked ? rootDirectoryOf(wanted.rootDirectory ?? asked) : ((await baseFolder(files)) ?? '.');
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
  if (plan.kind !== 'static') await assertWholeTree(files, rootDirectory);
  if (plan.outputDirectory !== null)
    plan.outputDirectory = rootDirectoryOf(plan.outputDirectory, 'plan.outputDirectory');
  if (plan.kind === 'static') {
    plan.outputDirectory ??= '.';
    if (!files.isFolder(`/${rootDirectory}/${plan.outputDirectory}`)) {
      return refuse('plan_not_detected', `The repository has no folder “${plan.outputDirectory}” to publish.`, [
        { path: 'plan.outputDirectory', message: 'is not in the repository' },
      ]);
    }
  }
  const { unmet } = nodeFor(plan.nodeVersion, nodeVersions);
  return { ...found, plan, warnings: unmet === null ? found.warnings : [...found.warnings, unmet] };
}

const given = (wanted: RepoSource['plan']): Partial<Plan> =>
  Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));

/** Bounds what a stranger wrote into a script’s name or a version, and makes it well-formed text. */
const plain = (plan: Plan): Plan => {
  const members = Object.entries(plan).map(([name, value]) => [name, value && shortened(value)]);
  return { ...plan, ...Object.fromEntries(members) };
};
