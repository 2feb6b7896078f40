import type { ServiceUrls } from '../../../edge/http/api/service-urls.js';
import type { RepoSource } from '../../../events/repo-source.js';
import type { Actor } from '../../../kernel/event-store.js';
import { formatBytes, plural } from '../../../kernel/output/quantities.js';
import type { Builder } from '../../../kernel/ports/outside/builder.js';
import type { ImageBuilder } from '../../../kernel/ports/outside/image-builder.js';
import type { RepoEntry, Repositories } from '../../../kernel/ports/outside/repositories.js';
import type { ServedDeploy } from '../../../kernel/ports/served-deploy.js';
import type { BuildSettings } from '../../../settings/build-settings.js';
import type { Deploys, JobContent, JobFile } from '../../sites/api/deploys.js';
import { assertBuilder } from '../build/assert-builder.js';
import { buildImage } from '../build/build-image.js';
import { assertCanBuild, type BuildOutput, buildSite } from '../build/build-site.js';
import { detect } from '../detect/detect.js';
import type { JobProgress } from '../job-progress.js';
import { lockFile } from '../provenance/lock-file.js';
import type { Materials } from '../provenance/statement.js';
import { RULES, withBasePathRules } from './base-path-rules.js';
import { inFolder, staticFiles } from './static-files.js';

export type Made = { readonly content: JobContent; readonly materials: Materials };

export type JobOf = {
  readonly jobId: string;
  readonly siteId: string;
  readonly slug: string;
  /** How many rights to deploy the site have ended so far (see `JobRights.countEnded`). */
  readonly endedRights: number;
  readonly isTrusted: boolean;
  /** Secrets of the site by name. Empty if the job is not trusted. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Whether the site has secrets that this job does not receive. */
  readonly isWithheld: boolean;
  /** Whether the job builds the repository that the site is linked to. `ref` is then always a branch name. */
  readonly isLinked: boolean;
  readonly startedBy: Actor;
  /**
   * Key that identifies the site's owner, or the network of an anonymous site (`SiteShares`). Limits on stored build
   * tools apply per key.
   */
  readonly share: string;
};

export type DeployServices = {
  readonly repositories: Repositories;
  readonly deploys: Deploys;
  readonly builder: Builder;
  readonly imageBuilder: ImageBuilder;
  readonly builds: BuildSettings;
  readonly urls: Pick<ServiceUrls, 'site'>;
};

/**
 * Fetches a repository, builds it and stores the content, ready to be published. Refuses with a description of what is
 * wrong with the repository. Throws `BuildError` if the build fails.
 */
export async function deployRepository(
  { url, ref, rootDirectory, plan: wanted }: RepoSource,
  of: JobOf,
  services: DeployServices,
  progress: JobProgress,
  signal: AbortSignal,
): Promise<Made> {
  await progress.step('clone', 'running');
  await progress.log('clone', `Copying ${url}${ref === null ? '' : ` at ${ref}`}`);
  if (of.isWithheld) await progress.log('clone', NO_SECRETS, 'stderr');
  const copy = await services.repositories.copy({ url, ref, isBranch: of.isLinked }, signal);
  try {
    const { commit } = copy;
    const repository = { url: copy.url, ref: copy.ref, commit };
    if (copy.ref !== commit) await progress.log('clone', `${copy.ref} is at ${commit}`);
    await progress.step('clone', 'succeeded', { commit });

    await progress.step('detect', 'running');
    const { files, plan, evidence, warnings } = await detect(copy, { rootDirectory, plan: wanted }, services.builds);
    for (const { file, why } of evidence) await progress.log('detect', `${file} ${why}`);
    for (const warning of warnings) await progress.log('detect', warning, 'stderr');
    await progress.log('detect', `Plan: ${plan.kind}`);
    await progress.step('detect', 'succeeded', { plan });

    if (plan.kind === 'static') {
      const folder = files.resolve('/', plan.rootDirectory, plan.outputDirectory ?? '.').slice(1) || '.';
      const entries = inFolder(files.entries, folder);
      const paths = pathsOf(entries);
      services.deploys.assertFileCount(paths, of.startedBy);
      const content = await stored(staticFiles(copy, entries), paths, services.deploys, of, progress);
      return { content, materials: { ...repository, ...unbuilt, plan, engine: 'none' } };
    }
    assertCanBuild(of.startedBy, services.builds);
    await assertBuilder(services, plan);
    if (plan.kind === 'container') {
      const content = await buildImage({ copy, files, plan }, services, progress, signal, (archive) =>
        storeServer('container', archive, services.deploys, of, progress),
      );
      return { content, materials: { ...repository, ...unbuilt, plan, engine: 'container' } };
    }
    const build = { ...of, url: services.urls.site(of.slug), commit };
    const source = { copy, files, plan, of: build, share: of.share };
    const locked = await lockFile(copy, files, plan);
    const {
      result: content,
      tools,
      dependenciesFrom,
    } = await buildSite(source, services, progress, signal, (output) =>
      storedOutput(output, services.deploys, of, progress),
    );
    const { engine } = services.builder;
    const built = { lockFile: locked, tools, dependenciesFrom };
    return { content, materials: { ...repository, ...built, plan, engine } };
  } finally {
    await copy.close();
  }
}

const NO_SECRETS =
  'This build received no secrets: they are only for builds that an owner starts while signed in, and for builds of the linked repository without overrides. To use them, start the build as an owner in the browser or a signed-in terminal, or link the repository (PUT /v1/sites/{slug}/repository) and deploy with only the slug.';

/** Provenance of a deploy that was built without a package manager. */
const unbuilt = { lockFile: null, tools: [], dependenciesFrom: null };

const pathsOf = (entries: readonly RepoEntry[]) => entries.flatMap(({ path, kind }) => (kind === 'file' ? [path] : []));

function storedOutput(output: BuildOutput, deploys: Deploys, of: JobOf, progress: JobProgress) {
  if (output.kind === 'files') {
    deploys.assertFileCount(output.paths, of.startedBy);
    return stored(output.files, output.paths, deploys, of, progress);
  }
  return storeServer('next', output.archive, deploys, of, progress);
}

async function storeServer(
  kind: ServedDeploy['kind'],
  archive: AsyncIterable<Uint8Array>,
  deploys: Deploys,
  { siteId }: JobOf,
  progress: JobProgress,
): Promise<JobContent> {
  await progress.step('start', 'running');
  const content = await deploys.storeServer(siteId, kind, archive);
  await progress.log('start', `${WHAT[kind]} takes up ${formatBytes(content.bytes)}`);
  return content;
}

const WHAT = { next: 'The server', container: 'The image' } as const;

async function stored(
  files: AsyncIterable<JobFile>,
  paths: readonly (string | null)[],
  deploys: Deploys,
  { siteId, startedBy }: JobOf,
  progress: JobProgress,
): Promise<JobContent> {
  await progress.step('publish', 'running');
  const leftOut: string[] = [];
  const bases: string[] = [];
  const all = deploys.allowsFileCount([...paths, RULES], startedBy)
    ? withBasePathRules(files, paths, (base) => bases.push(base))
    : files;
  const telling = async function* () {
    for await (const file of all) {
      yield file;
      for (const text of leftOut.splice(0)) await progress.log('publish', text, 'stderr');
    }
  };
  const content = await deploys.storeFiles(siteId, telling(), startedBy, (path, why) =>
    leftOut.push(`Skipped ${path}: ${why}`),
  );
  const warnings = content.warnings.filter(({ message }) => !message.startsWith('Left out:'));
  for (const text of groupWarnings(warnings)) await progress.log('publish', text, 'stderr');
  for (const base of bases)
    await progress.log(
      'publish',
      `Added _redirects, which serves the site at ${base} and redirects / to it. To prevent this, publish a _redirects file, which can be empty.`,
    );
  await progress.log('publish', `${plural(content.files, 'file')}, ${formatBytes(content.bytes)}`);
  return content;
}

/** Returns one line per message, with the first file and the number of other files. */
export function groupWarnings(warnings: JobContent['warnings']): readonly string[] {
  const counts = new Map<string, number>();
  for (const { message } of warnings) counts.set(message, (counts.get(message) ?? 0) + 1);
  return warnings.flatMap(({ file, line, message }) => {
    const count = counts.get(message) ?? 0;
    counts.delete(message);
    if (count === 0) return [];
    const place = line === undefined ? file : `${file}:${line}`;
    return [`${place}${count === 1 ? '' : ` and ${plural(count - 1, 'other')}`}: ${message}`];
  });
}
