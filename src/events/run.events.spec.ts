import { describe, expect, it } from '@jest/globals';
import { catalogue, isChained } from './catalogue.js';
import { runStream } from './run.events.js';

const runId = 'run_01jd4v8k3mqg5t2x9w7z6y4r1p';

describe('Events of a command-line run', () => {
  it('the data of a run event is a JSON object and no other JSON value', () =>
    expect(() => catalogue.write('RunLogged', { data: '"text"', jobId: null })).toThrow());

  it('run events are stored under the run’s ID, without a hash chain', () => {
    expect(runStream(runId)).toBe(`run-${runId}`);
    expect(isChained(runStream(runId))).toBe(false);
  });
});
