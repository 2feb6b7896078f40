// needs: database, git

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { databaseUrl } from '../support/database/database-url.js';
import { freshDatabase } from '../support/database/test-database.js';
import { signIn } from '../support/people/sign-in.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';
import { GitHost } from '../support/sites/git-host.js';
import { eventsOf, jobOver, linesOf } from '../support/sites/jobs.js';

describe('Job logs', () => {
  let host: GitHost;
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let pool: pg.Pool;
  let stele: Stele;

  beforeAll(async () => {
    host = await GitHost.open();
    temporary = await temporaryFolder('log-shares');
    database = await freshDatabase();
    pool = new pg.Pool(database.config);
    const env = { STELE_REPO_HOSTS: host.listed, DATABASE_URL: databaseUrl(database.config) };
    stele = await startStele({ folder: temporary.folder, env });
  }, 60_000);
  afterAll(async () => {
    await stele?.stop();
    await pool?.end();
    await database?.drop();
    await host?.close();
    await temporary?.remove();
  });

  /** Deploys a repository with 400 links, each of which adds a line of about 150 characters to the log. */
  const deploy = async (slug: string, bearer: Record<string, string>) => {
    const asked = stele.api
      .post('/v1/repo/deploy')
      .set(bearer)
      .send({ url: host.url('chatty'), slug });
    const { jobId } = (await asked.expect(200)).body;
    expect(await jobOver(stele, jobId, bearer)).toMatchObject({ status: 'succeeded' });
    return linesOf(await eventsOf(stele, jobId)).map(({ text }) => text);
  };

  it('once an owner’s sites have logged 64 MiB in a day, only that owner’s logs are cut off', async () => {
    const links = Array.from({ length: 400 }, (_, n) => [`links/${'long'.repeat(25)}${n}`, { link: '/etc/passwd' }]);
    host.commit('chatty', { 'index.html': '<h1>Hi</h1>', ...Object.fromEntries(links) });
    const [ann, bob] = [await signIn(stele, 'ann@example.org'), await signIn(stele, 'bob@example.org')];
    expect((await deploy('first', ann.bearer)).length).toBeGreaterThan(400);

    await pool.query('update job_log_shares set characters = 64 * 1048576');
    for (const slug of ['first', 'second']) {
      const lines = await deploy(slug, ann.bearer);
      expect(lines.length).toBeGreaterThan(40);
      expect(lines.length).toBeLessThan(80);
      expect(lines.at(-1)).toBe(
        'The log is full because the jobs of this site’s owner have logged 64 MiB today (UTC). Further output is discarded; the job continues.',
      );
    }
    expect((await deploy('third', bob.bearer)).length).toBeGreaterThan(400);
  }, 60_000);
});
