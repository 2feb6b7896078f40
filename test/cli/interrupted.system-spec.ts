// needs: database

import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CuttingProxy } from '../support/cli/cutting-proxy.js';
import { CommandLine } from '../support/cli/stele-command.js';
import { sized } from '../support/jest/sized.js';
import { signIn } from '../support/people/sign-in.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';

const MIB = 1024 * 1024;
const FILES = sized(2000, 200);
const LARGE = sized(500, 48) * MIB;
const INTERRUPTIONS = sized(10, 3);
/** Maximum number of bytes that are sent again after an interruption. */
const AGAIN = 8 * MIB;

describe('an interrupted deploy', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let proxy: CuttingProxy;
  let machine: CommandLine;
  let env: Record<string, string>;
  let content = 0;
  let users = 0;

  beforeAll(async () => {
    temporary = await temporaryFolder('cli-interrupted');
    stele = await startStele({ folder: temporary.folder, env: { STELE_MAX_FILE_BYTES: String(600 * MIB) } });
  }, 60_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });
  beforeEach(async () => {
    proxy = await CuttingProxy.open(stele.port);
    machine = await CommandLine.create(proxy.url);
    // Each test has its own user, because uploads of other tests would count towards the quota.
    const { token } = await signIn(stele, `cli-interrupted-${++users}@example.org`);
    env = { STELE_TOKEN: token };
    content = 0;
    await write('index.html', Buffer.from('hello'));
    for (let n = 0; n < FILES; n++) await write(`${n % 20}/${n}.bin`, randomBytes(8 * 1024));
    await write('large.bin', randomBytes(LARGE));
  }, 120_000);
  afterEach(async () => {
    proxy?.close();
    await machine?.remove();
  });

  async function write(path: string, bytes: Buffer): Promise<void> {
    content += bytes.length;
    await machine.write(`dist/${path}`, bytes);
  }

  /** Waits until the next interruption is due. If the deploy ends earlier, throws an error with the deploy's output. */
  async function interrupt(child: ReturnType<CommandLine['start']>, ended: Promise<unknown>): Promise<void> {
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        said += chunk;
      });
    const isOver = await Promise.race([proxy.sends(Math.floor(content / (INTERRUPTIONS + 1))), ended.then(() => true)]);
    if (isOver) throw new Error(`The deploy ended before it was interrupted:\n${said}`);
  }

  /** Estimates the bytes that are not content: request headers, and the list of files in each attempt. */
  const overhead = (attempts: number) => (FILES + 20) * 1024 + attempts * (FILES + 20) * 512;

  it('resumes when the command is run again after its process was killed', async () => {
    for (let n = 0; n < INTERRUPTIONS; n++) {
      const child = machine.start(['deploy'], { env });
      const ended = new Promise((resolve) => child.once('close', resolve));
      await interrupt(child, ended);
      child.kill('SIGKILL');
      await ended;
    }
    expect(await machine.json(['deploy', '--verify'], { env })).toMatchObject({ exitCode: 0, files: FILES + 2 });
    expect(proxy.sent - content - overhead(INTERRUPTIONS + 1)).toBeLessThan(INTERRUPTIONS * AGAIN);
  }, 900_000);

  it('resumes by itself after the connection is cut, and uses little memory', async () => {
    const child = machine.start(['deploy', '--json'], { env });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk;
    });
    let most = 0;
    const measure = setInterval(async () => {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
      most = Math.max(most, Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024);
    }, 100);
    const ended = new Promise((resolve) => child.once('close', resolve));
    for (let n = 0; n < INTERRUPTIONS; n++) {
      await interrupt(child, ended);
      proxy.cut();
    }
    expect(await ended).toBe(0);
    clearInterval(measure);
    expect(JSON.parse(out)).toMatchObject({ ok: true, files: FILES + 2, bytes: content });
    expect(proxy.sent - content - overhead(1)).toBeLessThan(INTERRUPTIONS * AGAIN);
    expect(most).toBeLessThan(150 * MIB);
  }, 900_000);
});
