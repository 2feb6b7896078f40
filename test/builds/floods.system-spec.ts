// needs: database, git, bubblewrap

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BuildLimits } from '../../src/kernel/ports/outside/builder.js';
import { Bubblewrap } from '../../src/sandbox/bubblewrap/bubblewrap.engine.js';
import { BuilderUnderTest, run } from '../support/builds/builder-under-test.js';

const MIB = 1_048_576;

/**
 * A command that forks until the process limit is reached. The children wait, so that all of them exist at the same
 * time.
 */
const FORKS = "perl -e 'while (1) { defined(my $pid = fork) or exit 7; $pid or sleep 60 }'";
/** A command that allocates buffers, which are outside of V8's heap and its limit. */
const HOG = 'node -e "const all = []; for (;;) all.push(Buffer.alloc(1e7, 1))"';
const FILL = 'dd if=/dev/zero bs=1M of=';

describe('A build that uses as many resources as it can', () => {
  let under: BuilderUnderTest;

  beforeAll(async () => {
    under = await BuilderUnderTest.open(new Bubblewrap());
  }, 60_000);
  afterAll(() => under?.close());

  const alone = async (script: string, limits: Partial<BuildLimits> = {}) => {
    const sandbox = await under.sandbox(limits);
    return run(sandbox, script).finally(() => sandbox.close());
  };

  it.each([
    ['memory', HOG, {}, 'memory', '256 MiB'],
    ['memory with in-memory files', `${FILL}/dev/shm/x`, { diskBytes: 128 * MIB }, null, null],
    ['processes', FORKS, { processes: 64 }, 'processes', '64'],
    ['the disk', `${FILL}x`, {}, 'disk', '64 MiB'],
    ['the disk, and removes what it has written', `${FILL}x || { sleep 5; rm x; exit 1; }`, {}, 'disk', '64 MiB'],
    ['the disk with temporary files', `${FILL}/tmp/x`, {}, 'disk', '64 MiB'],
    ['file names', 'for n in $(seq 3000); do : > $n || exit 1; done', {}, 'files', '2,000'],
    ['a file larger than the disk', 'truncate --size=1T x', {}, 'disk', '64 MiB'],
  ] as const)(
    'a build that exhausts %s fails with an error that states the limit, and another build is not affected',
    async (_, script, limits, what, limit) => {
      const beside =
        "node -e \"require('node:child_process').execSync('echo done > made.txt; cat made.txt', { stdio: 'inherit' })\"";
      const [flood, other] = await Promise.all([alone(script, limits), alone(beside)]);
      expect(other).toMatchObject({ exitCode: 0, stdout: 'done\n' });
      expect(flood.exitCode).not.toBe(0);
      expect(flood).toMatchObject({ what, limit });
    },
  );

  it('a build gets processor time even while another build uses every core', async () => {
    const sandbox = await under.sandbox();
    const busy = new AbortController();
    const script = 'for n in $(seq 30); do (while :; do :; done) & done; wait';
    const command = { script, folder: '.', tools: [], env: {} };
    const spinning = sandbox.run(command, async () => undefined, busy.signal).catch(() => 'ended');
    // The other build has thirty busy processes. If this command got only an equal part of the CPU, it would time out.
    const work = 'node -e "for (const end = process.cpuUsage().user + 2e5; process.cpuUsage().user < end; );"';
    expect(await alone(work)).toMatchObject({ exitCode: 0 });
    busy.abort();
    expect(await spinning).toBe('ended');
    await sandbox.close();
  });
});
