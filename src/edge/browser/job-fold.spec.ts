import { describe, expect, it } from '@jest/globals';
import { after, type Told } from './job-fold.js';
import { type JobView, stateLine, stateWords, stepItems } from './job-view.js';

const at = (second: number) => `2026-11-20T10:00:${String(second).padStart(2, '0')}.000Z`;
const queued: JobView = {
  status: 'queued',
  slug: 'otter',
  steps: [],
  commit: null,
  startedAt: null,
  finishedAt: null,
  revision: 1,
};
const step = (name: string, status: string, second: number) => ({ event: 'job.step', step: name, status, second });
type Said = { readonly event: string; readonly second: number; readonly [member: string]: unknown };
const told = ({ event, second, ...data }: Said, n: number): Told => ({
  id: n + 2,
  event,
  data: { at: at(second), ...data },
});
const jobAfter = (...all: Said[]) => all.map(told).reduce(after, queued);

const started = { event: 'job.started', second: 1, attempt: 1 };

describe('The view of a job on its page', () => {
  it('a job moves from step to step, and finally shows the URL of the site', () => {
    const job = jobAfter(
      started,
      step('clone', 'running', 1),
      { ...step('clone', 'succeeded', 3), commit: 'c0ffee' },
      step('build', 'running', 3),
    );
    expect(job).toMatchObject({ status: 'running', commit: 'c0ffee', revision: 5, startedAt: at(1) });
    expect(stateWords(job)).toBe('Building');
    expect(stepItems(job, Date.parse(at(8))).markup).toMatch(/clone.*done.*2\.0 s.*build.*running.*5\.0 s/);
    const url = 'http://otter.example/';
    const over = [step('build', 'succeeded', 9), { event: 'job.succeeded', second: 12, url }]
      .map(told)
      .reduce(after, job);
    expect(stateWords(over)).toBe('Online after 11 s');
    expect(stateLine(over).markup).toContain(`<a class="site" href="${url}">${url}</a>`);
  });

  it.each<[string, Said, string, string]>([
    [
      'fails',
      { event: 'job.failed', second: 5, error: { code: 'x', message: '<b>no</b>' } },
      'failed',
      'Failed after 4.0 s: <b>no</b>',
    ],
    ['is stopped', { event: 'job.stopped', second: 5 }, 'stopped', 'Stopped after 4.0 s'],
  ])('a job %s while a step is running', (_, end, status, words) => {
    const job = jobAfter(started, step('clone', 'running', 1), { event: 'job.stop-requested', second: 4 }, end);
    expect(job).toMatchObject({ status, steps: [{ name: 'clone', status, finishedAt: at(5) }] });
    expect(stateWords(job)).toBe(words);
    expect(stateLine(job).markup).not.toContain('<b>');
  });

  it('a job starts over if its worker is lost, and unknown event types are ignored', () => {
    const again = { event: 'job.queued', second: 6, again: 'worker_lost' };
    const job = jobAfter(started, step('clone', 'running', 1), again, { event: 'job.sang', second: 7 });
    expect(job).toMatchObject({ status: 'queued', steps: [], revision: 5 });
  });
});
