import { describe, expect, it } from '@jest/globals';
import { after, runLine, stateLine, stateWords, unheard } from './run-view.js';

const evolve = after;
const told = (event: string, data: object, jobId?: string) => ({ id: 1, event, data: { at: '', data, jobId } });
const succeeded = (data: object) => after(unheard, told('run.succeeded', data), 'sites.example:8080');

describe('A run page', () => {
  it('links to a site of this service', () =>
    expect(stateLine(succeeded({ url: 'https://otter.sites.example:8080/' })).markup).toContain(
      'href="https://otter.sites.example:8080/"',
    ));

  it.each([
    'https://evil.example/',
    'https://sites.example:8080.evil.example/',
    'https://evilsites.example:8080/',
    'https://otter.sites.example:8080@evil.example/',
    'https://evil@otter.sites.example:8080/',
    'javascript:alert(1)//otter.sites.example:8080',
    'no address',
    7,
    null,
  ])('does not link to an address elsewhere, such as %j', (url) =>
    expect(stateLine(succeeded({ url })).markup).not.toContain('href'),
  );

  it('links to the job of the run', () =>
    expect(stateLine(after(unheard, told('run.progress', {}, 'job_0'), '')).markup).toContain('href="/jobs/job_0"'));

  const at = (event: string, at: string, data = {}) => ({ id: 1, event, data: { at, data } });
  const run = (...events: readonly ReturnType<typeof at>[]) =>
    events.reduce((before, each) => evolve(before, each, ''), unheard);
  const started = at('run.started', '2026-11-28T12:00:00.000Z');

  it.each([
    ['waits for its first event', run(), 'Waiting for the command to start'],
    ['runs', run(started), 'Running'],
    ['has succeeded', run(started, at('run.succeeded', '2026-11-28T12:00:04.200Z')), 'Done after 4.2 s'],
    [
      'has failed',
      run(started, at('run.failed', '2026-11-28T12:02:05.000Z', { text: 'no route to host' })),
      'Failed after 2 min 5 s: no route to host',
    ],
  ])('describes a run that %s', (_, view, words) => expect(stateWords(view)).toBe(words));

  it('reports that a run has not started, after waiting long enough', () => {
    expect(stateLine(run(), true).markup).toContain(
      'This run has not started. Check that the command is still running',
    );
    expect(stateLine(run(started), true).markup).toContain('Running');
  });

  it.each([
    ['run.log', { text: 'as it is' }, 'as it is'],
    ['run.log', { other: 1 }, '{"other":1}'],
    ['run.started', {}, 'started'],
    ['run.progress', { text: 'half', of: 2 }, 'progress half'],
  ])('shows an event %s with the data %j as one line', (event, data, text) =>
    expect(runLine(told(event, data))).toMatchObject({ n: 1, text }),
  );
});
