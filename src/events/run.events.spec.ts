import { describe, expect, it } from '@jest/globals';
import { storedEventContract } from '../../test/support/events/stored-event.contract.js';
import { catalogue, isChained } from './catalogue.js';
import { runEvents, runStream } from './run.events.js';

const report = { data: '{"step":"upload","done":3}', jobId: null };
const runId = 'run_01jd4v8k3mqg5t2x9w7z6y4r1p';

describe('Events of a command-line run', () => {
  storedEventContract(runEvents, {
    RunStarted: [{ data: '{}', jobId: 'job_01jd4v8k3mqg5t2x9w7z6y4r1p' }],
    RunProgressed: [report],
    RunLogged: [{ data: '{"text":"a\\n\\nevent: end"}', jobId: null }],
    RunSucceeded: [report],
    RunFailed: [report],
    RunForgotten: [{}],
  });

  it('contain a JSON object and no other JSON value', () =>
    expect(() => catalogue.write('RunLogged', { data: '"text"', jobId: null })).toThrow());

  it('are stored under the run’s ID, without a hash chain', () => {
    expect(runStream(runId)).toBe(`run-${runId}`);
    expect(isChained(runStream(runId))).toBe(false);
  });
});
