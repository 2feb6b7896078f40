// needs: database, git

import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';

describe('A machine without git', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  beforeAll(async () => {
    temporary = await temporaryFolder('no-git');
    // PATH contains only Node and a shell, which PostgreSQL needs.
    const programs = join(temporary.folder, 'programs');
    await mkdir(programs);
    await symlink(process.execPath, join(programs, 'node'));
    await symlink('/bin/sh', join(programs, 'sh'));
    stele = await startStele({ folder: join(temporary.folder, 'data'), env: { PATH: programs } });
  }, 60_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  it('without Git, requests for repositories fail with an error that says to install Git, and everything else works', async () => {
    const { body: health } = await stele.api.get('/health').expect(200);
    expect(health).toMatchObject({ status: 'ok', checks: { repositories: 'unavailable' } });
    for (const path of ['/v1/repo/check', '/v1/repo/deploy']) {
      const { body } = await stele.api.post(path).send({ url: 'https://example.org/a/b' }).expect(503);
      expect(body).toMatchObject({
        code: 'builder_unavailable',
        detail: expect.stringContaining('apt-get install git'),
      });
    }
    await stele.api.post('/v1/deploy').type('html').send('x').expect(200);
  });
});
