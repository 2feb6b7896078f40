// needs: database, bubblewrap

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { reachablePlace } from '../../src/sandbox/workspace/place.js';
import { isTestBuildRunning, leftInSandboxes } from '../support/builds/left-in-sandboxes.js';
import { program, temporaryFolder } from '../support/service/stele.js';

describe('A stop during the test build', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let data: string;
  beforeEach(async () => {
    temporary = await temporaryFolder('stopped-test-build');
    data = join(temporary.folder, 'data');
  });
  afterEach(async () => {
    await rm(await reachablePlace(join(data, 'builds')), { recursive: true, force: true });
    await temporary.remove();
  });

  it.each<[NodeJS.Signals, 'auto' | 'bubblewrap']>([
    ['SIGINT', 'bubblewrap'],
    ['SIGTERM', 'auto'],
  ])(
    'on %s with STELE_BUILDER=%s, leaves no mount and no process behind',
    async (signal, STELE_BUILDER) => {
      const [file, ...args] = program;
      const child = spawn(file, args, {
        env: {
          ...process.env,
          NODE_OPTIONS: '',
          STELE_BUILDER,
          STELE_STATUS_PROBES: 'off',
          STELE_DISK_RESERVE: '0',
          PORT: '0',
          STELE_DATA: data,
        },
        detached: true,
        stdio: 'ignore',
      });
      const ended = once(child, 'close');
      try {
        while (!(await isTestBuildRunning(data))) {
          expect(child.exitCode).toBeNull();
          await delay(5);
        }
        process.kill(-(child.pid ?? Number.NaN), signal);
        expect(await ended).toEqual([0, null]);
        expect(await leftInSandboxes(data)).toEqual([]);
      } finally {
        child.kill('SIGKILL');
        await ended;
      }
    },
    120_000,
  );
});
