// needs: curl, git

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { plainText } from '../../../src/edge/browser/sgr.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';
import { siteIdOf, writeAccess } from '../../support/traffic/log-rows.js';

describe('Following a site’s log in a terminal', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let db: Client;
  beforeAll(async () => {
    temporary = await temporaryFolder('logs-terminal');
    stele = await startStele({ folder: temporary.folder, env: { STELE_REPO_HOSTS: '127.0.0.1:9' } });
    db = new Client(stele.database);
    await db.connect();
  }, 180_000);
  afterAll(async () => {
    await db?.end();
    await stele?.stop();
    await temporary.remove();
  });

  it('the output has one line per entry, with colors only on request, and no control sequences from visitors', async () => {
    const { body: site } = await stele.api.post('/v1/deploy').type('html').send('first').expect(200);
    const header = `x-svc-edit-token: ${site.editToken}`;
    const curl = spawn(
      'curl',
      ['-sN', '-H', 'accept: text/plain', '-H', header, `${stele.base}/v1/sites/${site.slug}/logs?color=1`],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let text = '';
    curl.stdout.setEncoding('utf8').on('data', (more: string) => {
      text += more;
    });
    const until = async (isSo: () => boolean) => {
      while (!isSo()) await once(curl.stdout, 'data');
    };
    await until(() => text.includes('Deploy 1'));
    const at = new Date();
    const time = at.toISOString().replace('T', ' ').slice(0, 19);
    const siteId = await siteIdOf(stele, site.slug, { 'x-svc-edit-token': site.editToken });
    await writeAccess(db, siteId, [
      { at, path: '/ü' },
      { at, path: '/gone\u001b]0;evil\u0007\n\u202e', status: 404, referrer: 'example.org', hits: 3, ms: 250.4 },
    ]);
    await until(() => text.includes('404'));
    // Nothing listens at this address, so the job fails, and the failure is logged.
    await stele.api
      .post('/v1/repo/deploy')
      .set('x-svc-edit-token', site.editToken)
      .send({ url: 'http://127.0.0.1:9/nothing.git', slug: site.slug })
      .expect(200);
    await until(() => /Job failed: .*\n/.test(plainText(text)));
    curl.kill();
    await once(curl, 'close');

    const plain = plainText(text);
    const lines = plain.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}system {2}Created as /);
    expect(lines[1]).toMatch(/^.{19} {2}deploy {2}Deploy 1: 1 file, 5 bytes$/);
    expect(lines[2]).toBe(`${time}  200     GET /ü  1.5 ms, 1.2 kB, person`);
    expect(lines[3]).toBe(
      `${time}  404     GET /gone\ufffd]0;evil\ufffd\ufffd\ufffd  250 ms, 1.2 kB, person, from example.org, 3 times`,
    );
    expect(lines[4]).toMatch(/^.{19} {2}job {5}Job queued$/);
    expect(lines.at(-1)).toMatch(/^.{19} {2}job {5}Job failed: /);
    expect(text).toContain('\u001b[32m200   \u001b[0m');
    expect(text).toContain('\u001b[33m404   \u001b[0m');
    expect(plain).not.toContain('\u001b');
    const failed = await stele.api
      .get(`/v1/sites/${site.slug}/logs`)
      .query({ kind: 'job', level: 'error' })
      .set('x-svc-edit-token', site.editToken)
      .expect(200);
    expect(failed.body.items).toMatchObject([{ type: 'JobFailed', error: { code: 'repo_unreachable' } }]);
    const { jobId, eventsUrl } = failed.body.items[0];
    expect(eventsUrl).toBe(`http://localhost:${stele.port}/v1/jobs/${jobId}/events`);
  }, 180_000);

  it('the output has colors only with ?color=1', async () => {
    const { body: site } = await stele.api.post('/v1/deploy').type('html').send('first').expect(200);
    const firstLines = async (query: string) => {
      const leaving = new AbortController();
      const response = await fetch(`${stele.base}/v1/sites/${site.slug}/logs${query}`, {
        headers: { accept: 'text/plain', 'x-svc-edit-token': site.editToken },
        signal: leaving.signal,
      });
      let text = '';
      for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
        text += piece;
        if (text.includes('Deploy 1')) break;
      }
      leaving.abort();
      return text;
    };
    expect(await firstLines('?color=1')).toContain('\u001b[');
    for (const query of ['', '?color=0']) {
      const text = await firstLines(query);
      expect(text).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}deploy {2}Deploy 1: /m);
      expect(text).not.toContain('\u001b');
    }
    const refused = await stele.api
      .get(`/v1/sites/${site.slug}/logs?color=always`)
      .set({ accept: 'text/plain', 'x-svc-edit-token': site.editToken })
      .expect(400);
    expect(refused.body.errors).toEqual([{ path: 'color', message: 'must be 1 or 0' }]);
  });
});
