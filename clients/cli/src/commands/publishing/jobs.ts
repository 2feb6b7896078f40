import { randomUUID } from 'node:crypto';
import { read, type Stele } from 'stele-api/client';
import { followStream } from 'stele-api/streams/follow-stream';
import type { CommandDefinition } from '../../command-line/command.js';
import { addSiteOption, connectToSite, type SiteOptions } from '../../command-line/on-site.js';
import { addPageOptions, type PageOptions } from '../../command-line/pages.js';
import type { Session } from '../../command-line/session.js';
import { followJob } from '../../jobs/follow-job.js';
import { showPage } from '../../output/list.js';
import { formatTime } from '../../output/quantities.js';
import { oneLine } from '../../output/table.js';

const list: CommandDefinition = {
  usage: 'list',
  summary: 'list the builds of a site, newest first',
  examples: [
    ['stele jobs list', 'lists the builds of this folder’s site'],
    ['stele jobs list --site my-site --json', 'returns the builds of another site as JSON'],
  ],
  configure: (command) => addPageOptions(addSiteOption(command)),
  run: async (session, _, { limit, page, ...options }: SiteOptions & PageOptions) => {
    const { stele, params } = await connectToSite(session, options);
    const query = { limit, page };
    const found = await read(stele.api.GET('/v1/sites/{slug}/jobs', { params: { ...params, query } }));
    showPage(session.output, found, {
      id: ({ id }) => id,
      headings: ['JOB', 'STATUS', 'TIME (UTC)', 'ERROR'],
      row: ({ id, status, createdAt, error }) => [id, status, formatTime(createdAt), error?.message ?? ''],
    });
  },
};

/**
 * Connects with the best credential for the named or linked site. The site is needed only to find its edit token,
 * because requests about a job contain only the job's ID.
 */
async function connectToJob(session: Session, options: SiteOptions): Promise<Stele> {
  const site = await session.findSite(undefined, options.site);
  return (await session.connect({ site: site?.slug })).stele;
}

const log: CommandDefinition = {
  usage: 'log <job>',
  summary: 'show the output of a build, and follow it if it is running',
  examples: [
    ['stele jobs log job_01m8j9m1xge84vdgfxszhc1ff9', 'shows the output'],
    ['stele jobs log job_01m8j9m1xge84vdgfxszhc1ff9 --json', 'prints every event as a line of JSON'],
  ],
  configure: addSiteOption,
  run: async (session, [id = ''], options: SiteOptions) => {
    const stele = await connectToJob(session, options);
    for await (const event of followStream(stele, `/v1/jobs/${id}/events`, { signal: session.signal })) {
      const {
        lines = [],
        step,
        status,
      } = (event.data ?? {}) as { lines?: { text: string }[]; step?: string; status?: string };
      const { output } = session;
      if (event.event === 'job.log') {
        output.line(event, lines.map(({ text }) => oneLine(text)).join('\n'));
        continue;
      }
      output.line(event, null);
      if (!output.options.json) output.note(event.event === 'job.step' ? `${step}: ${status}` : event.event);
    }
  },
};

const stop: CommandDefinition = {
  usage: 'stop <job>',
  summary: 'stop a build',
  examples: [
    ['stele jobs stop job_01m8j9m1xge84vdgfxszhc1ff9', 'stops the build and everything that it started'],
    ['stele jobs stop job_01m8j9m1xge84vdgfxszhc1ff9 --json', 'returns the state of the job as JSON'],
  ],
  configure: addSiteOption,
  run: async (session, [id = ''], options: SiteOptions) => {
    const stele = await connectToJob(session, options);
    const job = await read(stele.api.POST('/v1/jobs/{id}/stop', { params: { path: { id } }, body: {} }));
    session.output.result({ json: { ...job }, quiet: job.status, text: `${id} is ${job.status}.` });
  },
};

const rerun: CommandDefinition = {
  usage: 'rerun',
  summary: 'build the repository of a site again',
  examples: [
    ['stele jobs rerun', 'starts the build, and follows it'],
    ['stele jobs rerun --site my-site --no-wait', 'only starts the build'],
  ],
  configure: (command) => addSiteOption(command).option('--no-wait', 'do not wait for the build'),
  run: async (session, _, options: SiteOptions & { wait: boolean }) => {
    const { stele, params } = await connectToSite(session, options);
    const { output } = session;
    const header = { 'idempotency-key': randomUUID() };
    const job = await read(stele.api.POST('/v1/sites/{slug}/rerun', { params: { ...params, header } }));
    if (!options.wait) {
      output.result({ json: { ...job }, quiet: job.jobId, text: `Queued ${job.jobId}.` });
      return;
    }
    await followJob(session, stele, job.jobId);
  },
};

export const jobs: CommandDefinition = {
  usage: 'jobs',
  summary: 'list, follow, stop and repeat the builds of a site',
  examples: [
    ['stele jobs list', 'lists the builds of this folder’s site'],
    ['stele jobs rerun', 'builds the repository again'],
  ],
  children: [list, log, stop, rerun],
};
