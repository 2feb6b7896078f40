import type { JobStepped } from '../../../events/job.events.js';
import type { Plan, RepoSource } from '../../../events/repo-source.js';
import type { Actor } from '../../../kernel/event-store.js';
import type { JobContent, SitesForJobs } from '../../../kernel/ports/job-sites.js';
import type { RepoCopy, Repositories } from '../../../kernel/ports/repositories.js';
import { refuse } from '../../../kernel/refusal.js';
import { detect } from '../detect/detect.js';
import type { RepoFiles } from '../detect/repo-files.js';
import { inFolder, staticFiles } from './static-files.js';

type Step = ReturnType<typeof JobStepped>['data'];

/** What a job tells while it goes on. */
export type Progress = {
  readonly log: (step: Step['step'], text: string, stream?: 'stdout' | 'stderr') => Promise<void>;
  /** After everything logged so far. */
  readonly step: (
    step: Step['step'],
    status: Step['status'],
    found?: { readonly commit?: string; readonly plan?: Plan },
  ) => Promise<void>;
};

export type Made = { readonly commit: string; readonly content: JobContent };

/** From an address to content that is stored and can be published. Refuses with what is wrong with the repository. */
export async function deployRepository(
  { url, ref, rootDirectory, plan: wanted }: RepoSource,
  { repositories, sites }: { readonly repositories: Repositories; readonly sites: SitesForJobs<RepoSource> },
  startedBy: Actor,
  progress: Progress,
  signal: AbortSignal,
): Promise<Made> {
  await progress.step('clone', 'running');
  await progress.log('clone', `Copying ${url}${ref === null ? '' : ` at ${ref}`}`);
  const copy = await repositories.copy({ url, ref }, signal);
  try {
    await progress.log('clone', `${copy.ref} is at ${copy.commit}`);
    await progress.step('clone', 'succeeded', { commit: copy.commit });

    await progress.step('detect', 'running');
    const { files, plan, evidence, warnings } = await detect(copy, { rootDirectory, plan: wanted });
    for (const { file, why } of evidence) await progress.log('detect', `${file} ${why}`);
    for (const warning of warnings) await progress.log('detect', warning, 'stderr');
    await progress.log('detect', `The plan is ${plan.kind}`);
    await progress.step('detect', 'succeeded', { plan });

    if (plan.kind !== 'static')
      return refuse(
        'builder_unavailable',
        `This server has no builder for the plan ${plan.kind}; repositories of plain files can be published.`,
      );
    return { commit: copy.commit, content: await stored(copy, files, plan, sites, startedBy, progress) };
  } finally {
    await copy.close();
  }
}

async function stored(
  copy: RepoCopy,
  files: RepoFiles,
  { rootDirectory, outputDirectory }: Plan,
  sites: SitesForJobs<RepoSource>,
  startedBy: Actor,
  progress: Progress,
): Promise<JobContent> {
  await progress.step('publish', 'running');
  const folder = files.resolve('/', rootDirectory, outputDirectory ?? '.').slice(1) || '.';
  const leftOut: string[] = [];
  const telling = async function* () {
    for await (const file of staticFiles(copy, inFolder(files.entries, folder))) {
      yield file;
      for (const text of leftOut.splice(0)) await progress.log('publish', text, 'stderr');
    }
  };
  const content = await sites.takeIn(telling(), startedBy, (path, why) => leftOut.push(`${path} is left out: ${why}`));
  for (const { file, line, message } of content.warnings) {
    if (message.startsWith('Left out:')) continue;
    await progress.log('publish', `${file}${line === undefined ? '' : `:${line}`}: ${message}`, 'stderr');
  }
  await progress.log('publish', `${content.files} ${content.files === 1 ? 'file' : 'files'}, ${content.bytes} bytes`);
  return content;
}
