import { describe, expect, it } from '@jest/globals';
import { after, runLine, stateLine, unheard } from './run-view.js';

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

  it.each([
    ['run.log', { text: 'as it is' }, 'as it is'],
    ['run.log', { other: 1 }, '{"other":1}'],
    ['run.started', {}, 'started'],
    ['run.progress', { text: 'half', of: 2 }, 'progress half'],
  ])('shows %s with the data %j as one line', (event, data, text) =>
    expect(runLine(told(event, data))).toMatchObject({ n: 1, text }),
  );
});
