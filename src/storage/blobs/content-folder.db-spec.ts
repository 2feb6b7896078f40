import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import { freshDatabase } from '../../../test/support/database/test-database.js';
import { temporaryFolder } from '../../../test/support/service/stele.js';
import { joinContentFolder } from './content-folder.js';

describe('The content folder of a database', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let pool: Pool;
  let here: Awaited<ReturnType<typeof temporaryFolder>>;
  let elsewhere: Awaited<ReturnType<typeof temporaryFolder>>;

  beforeEach(async () => {
    database = await freshDatabase();
    pool = new Pool(database.config);
    // The database may be dropped before the pool has closed its connections, which then emit errors.
    pool.on('error', () => undefined);
    [here, elsewhere] = await Promise.all([temporaryFolder('here'), temporaryFolder('elsewhere')]);
  });
  afterEach(async () => {
    await pool.end();
    await Promise.all([database.drop(), here.remove(), elsewhere.remove()]);
  });

  it('the first process determines the content folder, even if many start at the same time', async () => {
    await Promise.all(Array.from({ length: 8 }, () => joinContentFolder(pool, join(here.folder, 'data'))));
    await joinContentFolder(pool, join(here.folder, 'data'));
  });

  it('a process with a different folder is refused with an explanation', async () => {
    await joinContentFolder(pool, here.folder);
    await expect(joinContentFolder(pool, elsewhere.folder)).rejects.toMatchObject({
      name: 'ContentFolderMismatchError',
      message: expect.stringContaining(elsewhere.folder),
    });
  });

  it('the content folder is recognized after it was moved, or after its ID was restored as the error suggests', async () => {
    await joinContentFolder(pool, here.folder);
    const id = await readFile(join(here.folder, 'content-id'), 'utf8');
    await writeFile(join(elsewhere.folder, 'content-id'), id);
    await joinContentFolder(pool, elsewhere.folder);

    await rm(join(here.folder, 'content-id'));
    const refusal: unknown = await joinContentFolder(pool, here.folder).catch((reason) => reason);
    const [, named = ''] = /echo (\S+) >/.exec(String(refusal)) ?? [];
    await writeFile(join(here.folder, 'content-id'), named);
    await joinContentFolder(pool, here.folder);
  });
});
