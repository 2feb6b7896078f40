import { describe, expect, it } from '@jest/globals';
import { catalogue, isChained } from './catalogue.js';
import { WorkQueued, WorkSucceeded, workStream } from './work.events.js';

const workId = 'wrk_01jd4v8k3mqg5t2x9w7z6y4r1p';

describe('Connector work events', () => {
  it('work events do not contain the input or output of the work', () => {
    const queued = { ...WorkQueued.example, input: { ...WorkQueued.example.input, text: '"swordfish"' } };
    expect(() => catalogue.write('WorkQueued', queued)).toThrow(/text/);
    const { output } = WorkSucceeded.example;
    const succeeded = { ...WorkSucceeded.example, output: { ...output, text: '"swordfish"' } };
    expect(() => catalogue.write('WorkSucceeded', succeeded)).toThrow(/text/);
  });

  it('work events are stored under the work’s ID, without a hash chain', () => {
    expect(workStream(workId)).toBe(`work-${workId}`);
    expect(isChained(workStream(workId))).toBe(false);
  });
});
