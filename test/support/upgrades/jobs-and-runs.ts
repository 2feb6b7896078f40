import type { GitHost } from '../sites/git-host.js';
import type { HandingOut } from './handed-out.js';
import type { ServiceAsked } from './service-asked.js';

const LINES = { accept: 'application/x-ndjson' };

/**
 * Starts jobs, and reports a run of the command line. One job deploys files unchanged, one fails, and one builds its
 * site if this version can build. The first job is then repeated.
 */
export async function jobsAndRuns(service: ServiceAsked, out: HandingOut, git: GitHost) {
  git.commit('plain', { 'index.html': '<h1>From a repository</h1>', 'style.css': 'h1 { color: teal }' });
  git.commit('nothing', { 'main.c': 'int main() { return 0; }' });
  git.commit('built', {
    'package.json': JSON.stringify({ name: 'built', version: '1.0.0', scripts: { build: 'node build.js' } }),
    'build.js': `const fs = require('fs'); fs.mkdirSync('dist'); fs.writeFileSync('dist/index.html', '<h1>Built</h1>')`,
  });
  const headers = out.callers.ann ?? {};
  const ended = async (jobId: string) => {
    const path = `/v1/jobs/${jobId}`;
    // Waits until the job has ended, because the response with its events ends then.
    await service.ask({ path: `${path}/events`, headers: { ...headers, ...LINES } });
    out.read(path, 'ann');
    out.read(`${path}/events`, 'ann', LINES);
  };
  for (const name of ['plain', 'nothing', 'built']) {
    const body = { url: git.url(name), slug: `repo-${name}` };
    const { jobId } = await service.get<{ jobId: string }>({ path: '/v1/repo/deploy', headers, body });
    await ended(jobId);
    out.visit('a repository', `repo-${name}`);
  }
  git.commit('plain', { 'index.html': '<h1>From a repository, again</h1>' });
  const rerun = { method: 'POST', path: '/v1/sites/repo-plain/rerun', headers, body: {} };
  await ended((await service.get<{ jobId: string }>(rerun)).jobId);
  out.readSite('repo-plain', 'ann');

  const runId = 'run_01jd0000000000000000000000';
  for (const kind of ['run.started', 'run.log', 'run.progress', 'run.succeeded'])
    await service.get({ path: '/v1/cli/event', headers, body: { runId, kind, data: { text: kind } } });
  out.read(`/v1/cli/runs/${runId}/events`, 'ann', LINES);
}
