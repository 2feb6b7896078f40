import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OwnBuilder } from '../support/builds/own-builder.js';

const MIB = 1_048_576;

/** Forks until it may not, and waits so that all of them are there at once. */
const FORKS = "perl -e 'while (1) { defined(my $pid = fork) or exit 7; $pid or sleep 60 }'";
/** Buffers are not part of the heap that V8 bounds itself. */
const HOG = 'node -e "const all = []; for (;;) all.push(Buffer.alloc(1e7, 1))"';
const WORK =
  "node -e \"require('node:child_process').execSync('echo done > made.txt; cat made.txt', { stdio: 'inherit' })\"";

describe('A build that takes all it can', () => {
  let own: OwnBuilder;

  beforeAll(async () => {
    own = await OwnBuilder.open();
  }, 60_000);
  afterAll(() => own.remove());

  /** What the build at the same time says, which takes little. */
  const beside = async (script: string, limits = {}) => {
    const [flood, other] = await Promise.all([own.run(script, limits), own.run(WORK)]);
    expect(other).toMatchObject({ exitCode: 0, said: 'done\n' });
    return flood;
  };

  it.each([
    ['memory', HOG, { memoryBytes: 256 * MIB }, 'memory', '256 MiB'],
    ['memory by files in memory', 'dd if=/dev/zero of=/dev/shm/x bs=1M', { diskBytes: 128 * MIB }, null, null],
    ['processes', FORKS, { processes: 64 }, 'processes', '64'],
    ['the disk', 'dd if=/dev/zero of=x bs=1M', {}, 'disk', '64 MiB'],
    [
      'the disk, and removes what it has written',
      'dd if=/dev/zero of=x bs=1M || { rm x; exit 1; }',
      {},
      'disk',
      '64 MiB',
    ],
    ['the disk by temporary files', 'dd if=/dev/zero of=/tmp/x bs=1M', {}, 'disk', '64 MiB'],
    ['names of files', 'for n in $(seq 3000); do : > $n || exit 1; done', {}, 'files', '2000'],
    ['a file larger than the disk', 'truncate --size=1T x', {}, 'disk', '64 MiB'],
  ])(
    'takes %s is ended or refused, with the figure, and the build beside it does not',
    async (_, script, limits, what, limit) => {
      const { exitCode, exceeded } = await beside(script, limits);
      expect(exitCode).not.toBe(0);
      expect(exceeded).toEqual(what === null ? null : { what, limit });
    },
  );

  it('leaves the processor to the build beside it', async () => {
    const busy = new AbortController();
    const spinning = own
      .run('for n in $(seq 64); do (while :; do :; done) & done; wait', {}, busy.signal)
      .catch(() => 'ended');
    // With its share of one in sixty-five it would not be done in time.
    const { exitCode } = await own.run(
      'node -e "for (const end = process.cpuUsage().user + 2e5; process.cpuUsage().user < end; );"',
    );
    expect(exitCode).toBe(0);
    busy.abort();
    expect(await spinning).toBe('ended');
  });
});
