import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { copyFreshCluster } from '../../support/database/test-database.js';
import { signIn } from '../../support/people/sign-in.js';
import { waitForOutput } from '../../support/service/output.js';
import { startStele, temporaryFolder } from '../../support/service/stele.js';

describe('Log output without a terminal', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  beforeEach(async () => {
    temporary = await temporaryFolder('log');
    await copyFreshCluster(join(temporary.folder, 'postgres'));
  });
  afterEach(() => temporary.remove());

  /** Returns the log of a service from start to shutdown. Redis is unreachable. */
  async function told(env: Record<string, string>) {
    const { folder } = temporary;
    const own = {
      NODE_OPTIONS: '',
      PORT: '0',
      STELE_DATA: folder,
      REDIS_URL: 'redis://127.0.0.1:9',
      STELE_BUILDER: 'none',
      STELE_STATUS_PROBES: 'off',
      ...env,
    };
    const child = spawn(process.execPath, ['dist/bundled/start.js'], {
      env: { ...process.env, ...own },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    let isStopping = false;
    const hear = (chunk: Buffer) => {
      text += chunk;
      if (isStopping || !text.includes('Stele is running') || !text.includes('connect_to_redis failed')) return;
      isStopping = true;
      child.kill('SIGTERM');
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    await once(child, 'close');
    return text;
  }

  it('log output that does not go to a terminal has no colors', async () => {
    expect(await told({})).not.toContain('\u001b');
  }, 180_000);

  it('if configured, each log line is a JSON object', async () => {
    const lines = (await told({ STELE_LOG: 'json' })).trimEnd().split('\n');
    const entries = lines.map((line) => JSON.parse(line) as { level: string; message: string });
    const of = (level: string) => entries.filter((entry) => entry.level === level).map(({ message }) => message);
    expect(of('log')).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^Stele is running at http:\/\/localhost:\d+,/),
        'SIGTERM: stopping…',
      ]),
    );
    expect(of('warn')).toContainEqual(expect.stringContaining('connect_to_redis failed'));
  }, 180_000);

  it('log output has the configured format even if the start fails', async () => {
    const [line = '', ...more] = (await told({ STELE_LOG: 'json', HOST: '192.0.2.1', PORT: '3000' }))
      .trimEnd()
      .split('\n')
      .reverse();
    expect(JSON.parse(line)).toMatchObject({ level: 'fatal', message: expect.stringContaining('Correct HOST') });
    expect(() => more.map((each) => JSON.parse(each))).not.toThrow();
  }, 180_000);

  it('failed authentication and permission checks are logged without input from the caller', async () => {
    const stele = await startStele({ folder: temporary.folder });
    const { body } = await stele.api.post('/v1/deploy?slug=told').type('html').send('<h1>1</h1>').expect(200);
    const path = '/v1/sites/told/rollback';
    const told = async (refused: PromiseLike<{ readonly body: { requestId: string } }>, line: string) => {
      const { requestId } = (await refused).body;
      await waitForOutput(stele.printed, requestId);
      expect(stele.printed()).toContain(`${line}, ${requestId}`);
    };
    await told(
      stele.api.post(path).send({ deployId: body.deployId }),
      'unauthenticated: POST /v1/sites/:slug/rollback by an anonymous caller',
    );
    const forged = `stele_edit_${'Ab9'.repeat(16)}Z`;
    const wrong = stele.api.post(path).set('x-svc-edit-token', forged).send({ deployId: body.deployId });
    await told(wrong, 'edit_token_invalid: POST /v1/sites/:slug/rollback by an anonymous caller');
    expect(stele.printed()).not.toMatch(new RegExp(`${forged}|told`));
    await stele.stop();
  }, 180_000);

  it('each new session is logged with its user, method, session ID and request ID', async () => {
    const stele = await startStele({ folder: temporary.folder });
    const { user, token, bearer } = await signIn(stele, 'ann@example.org');
    const { body } = await stele.api.get('/v1/me/sessions').set(bearer).expect(200);
    const line = new RegExp(`Signed in.*${user.id} by a program: ${body.items[0].id}, req_[0-9a-z]{26}\\b`);
    await waitForOutput(stele.printed, line);
    expect(stele.printed()).not.toMatch(new RegExp(`${token}|ann@example`));
    await stele.stop();
  }, 180_000);
});
