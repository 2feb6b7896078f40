import { describe, expect, it } from '@jest/globals';
import { Refusal } from '../../kernel/refusal.js';
import { StreamResolver } from './stream-resolver.js';

const identify = () => Promise.reject(new Error('No test here asks who it is.'));

/** Returns a resolver of names such as `job:a` and `site:a:b`. It finds streams named `job-a` and `site-a:b`. */
function resolver() {
  const made = new StreamResolver();
  for (const kind of ['job', 'site']) {
    made.offer(kind, async (name) => ({
      stream: `${kind}-${name}`,
      finalTypes: new Set(),
      frameOf: () => null,
      assertCanWatch: async () => undefined,
      session: null,
    }));
  }
  return made;
}

describe('A stream resolver', () => {
  it.each([
    ['job:a', 'job-a'],
    ['site:a:b', 'site-a:b'],
    ['job:', 'job-'],
  ])('finds the stream that clients call %j', async (name, stream) =>
    expect((await resolver().find(name, identify)).stream).toBe(stream),
  );

  it.each(['run:a', 'job', 'jobs', ':a', '', 'JOB:a', 'constructor:a'])('refuses the name %j', async (name) => {
    const error = await resolver()
      .find(name, identify)
      .catch((reason) => reason);
    expect(error).toBeInstanceOf(Refusal);
    expect(error).toMatchObject({ code: 'invalid_request', detail: '`stream` must be one of job:…, site:….' });
  });

  it('passes the caller to the module that registered the kind of stream', async () => {
    const made = resolver();
    const callers: unknown[] = [];
    made.offer('run', async (_, who) => {
      callers.push(who);
      throw new Refusal('forbidden', 'No.');
    });
    await expect(made.find('run:a', identify)).rejects.toMatchObject({ code: 'forbidden' });
    expect(callers).toEqual([identify]);
  });

  it('throws if two modules register the same kind of stream', () => {
    expect(() => resolver().offer('job', () => Promise.reject(new Error()))).toThrow('job:…');
  });
});
