// needs: database, git, bubblewrap, tmux

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, readlink, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { isTestBuildRunning, leftInSandboxes } from '../support/builds/left-in-sandboxes.js';
import { temporaryFolder } from '../support/service/stele.js';
import { GitHost } from '../support/sites/git-host.js';

const ROUNDS = Number(process.env.STELE_TEST_ROUNDS ?? 50);
/**
 * Maximum delay before a stop at a random moment. Slightly longer than a start on an idle machine, so that stops happen
 * both during and after the start.
 */
const LATEST_MS = Number(process.env.STELE_TEST_LATEST_MS ?? 3_000);
const STOPS_WITHIN_MS = 60_000;
const NEW_FOLDER_EVERY = 4;
/**
 * When the service is stopped: each round uses the next entry. The test build is too short to be hit often at a random
 * moment, and no other build would be running.
 */
const MOMENTS = ['at a random moment', 'during the test build', 'during a build'] as const;
/** Printed by the build, which then runs for longer than any stop takes. */
const BUILDING = 'build has started';
const SLOW_BUILD = {
  'package.json': JSON.stringify({ name: 'slow', private: true, scripts: { build: 'node make.cjs' } }),
  'make.cjs': `console.log('${BUILDING}'); setTimeout(() => {}, 120_000);`,
};

/** Texts in the output of `npm start`, in this order. */
const WHEN = ['prestart', 'exec node', 'Opening', 'Stele is running'];

const run = promisify(execFile);

type Started = {
  readonly stop: () => Promise<unknown>;
  readonly ended: Promise<number>;
  readonly printed: () => Promise<string>;
};

describe('npm start', () => {
  let git: GitHost;
  beforeAll(async () => {
    git = await GitHost.open();
    git.commit('slow', SLOW_BUILD);
  });
  afterAll(() => git?.close());

  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let current: Started | null = null;
  beforeEach(async () => {
    temporary = await temporaryFolder('random-stops');
  });
  afterEach(async () => {
    await current?.stop();
    await current?.ended;
    await temporary.remove();
  }, STOPS_WITHIN_MS);

  const settings = (data: string) => ({
    STELE_DATA: data,
    PORT: '0',
    STELE_REPO_HOSTS: git.listed,
    STELE_DISK_RESERVE: '0',
    STELE_RATE_LIMITS: 'off',
    NODE_OPTIONS: '',
  });

  /** Starts the service in a separate terminal. Stops it by pressing Ctrl-C. */
  async function inTerminal(data: string): Promise<Started> {
    const name = `stele-${process.pid}-${Date.now()}`;
    const output = join(temporary.folder, `${name}.txt`);
    const code = join(temporary.folder, `${name}.code`);
    const given = Object.entries(settings(data)).map(([key, value]) => `${key}='${value}'`);
    const command = `trap : INT; sleep 0.2; cd '${resolve('.')}' && env ${given.join(' ')} npm start; echo $? >'${code}'`;
    await run('tmux', ['-L', name, 'new-session', '-d', '-x', '200', '-y', '50', 'bash', '-c', command]);
    await run('tmux', ['-L', name, 'pipe-pane', `cat >'${output}'`]);
    const ended = async () => {
      for (;;) {
        const text = await readFile(code, 'utf8').catch(() => '');
        if (text !== '') return Number(text);
        await delay(20);
      }
    };
    return {
      stop: () => run('tmux', ['-L', name, 'send-keys', 'C-c']),
      ended: ended(),
      printed: () => readFile(output, 'utf8').catch(() => ''),
    };
  }

  /** Starts the service like a supervisor. Stops it by sending a signal to the process group. */
  async function inGroup(data: string): Promise<Started> {
    const child = spawn('npm', ['start'], {
      env: { ...process.env, ...settings(data) },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    const hear = (chunk: Buffer) => {
      printed += chunk;
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    return {
      stop: async () => process.kill(-(child.pid ?? Number.NaN), 'SIGTERM'),
      ended: once(child, 'close').then(([code, signal]) => code ?? signal),
      printed: async () => printed,
    };
  }

  async function leftIn(folder: string): Promise<string[]> {
    const found: string[] = [];
    for (const pid of await readdir('/proc')) {
      if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue;
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      if (stat === '' || /\) Z /.test(stat)) continue;
      const place = await readlink(`/proc/${pid}/cwd`).catch(() => '');
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      if (place.startsWith(folder) || environment.includes(`STELE_DATA=${folder}`)) found.push(`${pid} ${stat}`);
    }
    const mounts = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').filter((line) => line.includes(folder));
    return [...found, ...mounts, ...(await leftInSandboxes(folder))];
  }

  const serviceOf = async (started: Started) => /Service\s+(http:\S+)/.exec(await started.printed())?.[1];

  async function work(started: Started, isOver: () => boolean) {
    while (!isOver()) {
      const service = await serviceOf(started);
      const body = `<p>${'work '.repeat(1_000)}`;
      const headers = { 'content-type': 'text/html' };
      await (service ? fetch(`${service}/v1/deploy`, { method: 'POST', body, headers }) : delay(50)).catch(() =>
        delay(20),
      );
    }
  }

  /**
   * Starts a build as soon as the service prints its URL, and returns when the build command is running. Does nothing if
   * the service ends first.
   */
  async function build(started: Started, isOver: () => boolean) {
    let service: string | undefined;
    while (service === undefined && !isOver()) {
      service = await serviceOf(started);
      await delay(20);
    }
    if (service === undefined) return;
    const body = JSON.stringify({ url: git.url('slow') });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${service}/v1/repo/deploy`, { method: 'POST', body, headers });
    const { jobId } = (await response.json()) as { readonly jobId?: string };
    if (jobId === undefined) throw new Error(`The request for a build failed with status ${response.status}.`);
    let log = '';
    for await (const bytes of (await fetch(`${service}/jobs/${jobId}/log`)).body ?? []) {
      log += Buffer.from(bytes).toString();
      if (log.includes(BUILDING)) return;
    }
    throw new Error(`The build ended before it printed “${BUILDING}”:\n${log}`);
  }

  it.each([
    ['Ctrl-C in a terminal at random moments and during builds', inTerminal],
    ['SIGTERM to its process group at random moments and during builds', inGroup],
  ] as const)(
    'leaves nothing behind after %s',
    async (_, start) => {
      const moments: string[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const data = join(temporary.folder, `data-${Math.floor(round / NEW_FOLDER_EVERY)}`);
        const started = await start(data);
        current = started;
        let isOver = false;
        const ended = started.ended.finally(() => {
          isOver = true;
        });
        const working = work(started, () => isOver);
        // Waits until npm has started, because an earlier signal would only end the shell.
        while (!isOver && !(await started.printed()).includes('stele@')) await delay(10);
        const moment = MOMENTS[round % MOMENTS.length];
        const ms = Math.round(Math.random() * LATEST_MS);
        if (moment === 'at a random moment') await Promise.race([delay(ms), ended]);
        if (moment === 'during the test build') while (!isOver && !(await isTestBuildRunning(data))) await delay(5);
        if (moment === 'during a build') await build(started, () => isOver);
        const printedBefore = await started.printed();
        const before = WHEN.findLast((words) => printedBefore.includes(words)) ?? 'npm';
        await started.stop();
        const code = await Promise.race([ended, delay(STOPS_WITHIN_MS, null, { ref: false })]);
        if (code === null) throw new Error(`It did not stop:\n${await started.printed()}`);
        await working;
        current = null;
        const random = moment === 'at a random moment' ? ` (${ms} ms)` : '';
        moments.push(`${round}: ${moment}${random}, after “${before}”: exit ${code}`);
        const printed = await started.printed();
        expect([moments.at(-1), await leftIn(data)]).toEqual([moments.at(-1), []]);
        // Before “Opening” is printed, the signal may end npm or the shell, so the exit code is not checked.
        if (code !== 0 && (before === 'Opening' || before === 'Stele is running'))
          throw new Error(`Expected exit code 0 in round ${moments.at(-1)}\n${printed}`);
        expect(printed).not.toContain('(already running)');
        expect(await readdir(join(data, 'postgres')).catch((): string[] => [])).not.toContainEqual(
          expect.stringMatching(/^making-/),
        );
        if (round % NEW_FOLDER_EVERY === NEW_FOLDER_EVERY - 1) await rm(data, { recursive: true, force: true });
      }
      console.log(moments.join('\n'));
    },
    ROUNDS * 60_000,
  );
});
