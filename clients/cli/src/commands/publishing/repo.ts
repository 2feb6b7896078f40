import { randomUUID } from 'node:crypto';
import { read } from 'stele-api/client';
import { readSite, SiteMissingError } from 'stele-api/deploy/live-site';
import type { CommandDefinition } from '../../command-line/command.js';
import { LIST_SITES, NotSignedInError, RefusedError } from '../../command-line/errors.js';
import type { SiteOptions } from '../../command-line/on-site.js';
import { keepEditToken } from '../../deploy/remember-site.js';
import { followJob } from '../../jobs/follow-job.js';

type Options = SiteOptions & {
  readonly create?: boolean;
  readonly ref?: string;
  readonly root?: string;
  readonly check?: boolean;
  readonly wait: boolean;
  readonly anonymous?: boolean;
};

export const repo: CommandDefinition = {
  usage: 'repo <url>',
  summary: 'build a public repository on the instance, and publish the result',
  examples: [
    ['stele repo https://github.com/owner/name', 'builds the repository, and follows the build'],
    ['stele repo https://github.com/owner/name --check', 'only shows how it would be built'],
  ],
  configure: (command) =>
    command
      .option('--site <name>', 'the site to deploy to (or STELE_SITE); otherwise a new site is created')
      .option('--create', 'create the named site if it does not exist')
      .option('--ref <name>', 'a branch, tag or commit')
      .option('--root <folder>', 'the folder of the repository that contains the site')
      .option('--check', 'show how the repository would be built, and build nothing')
      .option('--no-wait', 'do not wait for the build')
      .option('--anonymous', 'deploy without an account'),
  run: async (session, [url = ''], { site: flag, create, ref, root, check, wait, anonymous }: Options) => {
    // Ignore stele.json, because its site belongs to this folder, and not to the repository.
    const site = flag || session.environment.STELE_SITE;
    const repository = { url, ...(ref && { ref }), ...(root && { rootDirectory: root }) };
    const { output } = session;
    const { stele, source } = await session.connect({ site, anonymous: anonymous === true });
    if (check) {
      const checked = await read(stele.api.POST('/v1/repo/check', { body: repository }));
      const { plan, evidence, warnings } = checked;
      const lines = Object.entries(plan).map(([name, value]) => `${name.padEnd(16)} ${value ?? '-'}`);
      const why = evidence.map(({ file, why: reason }) => `${file}: ${reason}`);
      output.result({ json: checked, quiet: plan.kind, text: [...lines, ...why].join('\n') });
      for (const warning of warnings) output.warn(String(warning));
      return;
    }
    if (source === 'none' && !anonymous && session.isCi)
      throw new NotSignedInError(`This is a CI job, but there is no credential for ${stele.instance}.`);
    if (site && !create && !(await readSite(stele, site, session.signal)))
      throw new RefusedError(new SiteMissingError(site).message, 'site_not_found', [
        { command: `stele repo ${url} --site ${site} --create`, when: 'to create the site' },
        LIST_SITES,
      ]);
    const started = await read(
      stele.api.POST('/v1/repo/deploy', {
        params: { header: { 'idempotency-key': randomUUID() } },
        body: { ...repository, ...(site && { slug: site }) },
      }),
    );
    await keepEditToken(session, stele.instance, started);
    const { editToken, claimUrl: _, ...job } = started;
    if (!wait) {
      output.result({ json: { ...job }, quiet: job.jobId, text: `Queued ${job.jobId} for the site ${job.slug}.` });
      return;
    }
    output.note(`Building ${job.slug}: ${stele.instance}/jobs/${job.jobId}`);
    const reader = editToken ? stele.with({ kind: 'edit', token: editToken }) : stele;
    await followJob(session, reader, started.jobId);
  },
};
