import { describe, expect, it } from '@jest/globals';
import { StoreUnavailableError } from '../../../kernel/event-store.js';
import { Refusal } from '../../../kernel/refusal.js';
import { judge, nothing } from './judge.js';
import { ProbeError, UnreachableComponentError } from './probe-fault.js';

const going = new AbortController().signal;
const failing = (error: unknown) => judge('publish', going, () => Promise.reject(error));

describe('A probe of a component', () => {
  it('reports a component as operational if its probe completes', async () =>
    expect(await judge('serve', going, async () => 'anything')).toEqual({
      ...{ component: 'serve', isWell: true, reason: null },
      ms: expect.any(Number),
    }));

  it.each([
    ['the message of a ProbeError', new ProbeError('an older page is served'), 'an older page is served'],
    ['only the code of a refusal', new Refusal('storage_full', 'of /var/lib/stele'), 'refused: storage_full'],
    [
      'that the database is unavailable',
      new StoreUnavailableError('10.0.0.7 is away'),
      'the database is not responding',
    ],
    [
      'only the code of a failed connection',
      Object.assign(new Error('connect 10.0.0.7:25'), { code: 'ECONNREFUSED' }),
      'no connection (ECONNREFUSED)',
    ],
    [
      'nothing from an unexpected error',
      new Error('password of postgres://stele:secret@10.0.0.7'),
      'an unexpected error',
    ],
  ])('shows visitors %s as the reason for a failure', async (_, error, reason) =>
    expect(await failing(error)).toMatchObject({ isWell: false, reason }),
  );

  it('returns no result for a missing or unreachable component', async () => {
    expect(await judge('mail', going, async () => nothing)).toBeNull();
    expect(await failing(new UnreachableComponentError('No way.'))).toBeNull();
  });

  it('returns no result if the process stops, however long the probe would take', async () => {
    const stopping = new AbortController();
    const tried = judge('mail', stopping.signal, () => new Promise(() => undefined));
    stopping.abort();
    expect(await tried).toBeNull();
  });

  it('aborts the probe’s signal when the probe ends', async () => {
    let signal: AbortSignal | undefined;
    await judge('streams', going, async (given) => {
      signal = given;
    });
    expect(signal?.aborted).toBe(true);
  });
});
