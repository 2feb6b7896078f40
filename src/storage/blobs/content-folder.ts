import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { isCode } from '../../kernel/faults/error-code.js';
import { createSchema } from '../postgres/create-schema.js';

const NAME = 'content-id';

const SCHEMA = `
  create table if not exists content_folder (one boolean primary key default true check (one), id uuid not null);
`;

export class ContentFolderMismatchError extends Error {
  override readonly name = 'ContentFolderMismatchError';
}

/**
 * Ensures that all processes on a database store content in the same folder. Each folder has a unique ID, and the
 * database records the ID of the first folder. Throws `ContentFolderMismatchError`, whose message explains what to
 * do.
 */
export async function joinContentFolder(pool: Pool, dataFolder: string): Promise<void> {
  const path = join(dataFolder, NAME);
  const id = (await idIn(path)) ?? (await makeId(dataFolder, path));
  await createSchema(pool, 'stele content folder schema', SCHEMA);
  await pool.query('insert into content_folder (id) values ($1) on conflict do nothing', [id]);
  const { rows } = await pool.query<{ id: string }>('select id from content_folder');
  const wanted = rows[0]?.id;
  if (wanted === id) return;
  throw new ContentFolderMismatchError(
    `The database belongs to a different data folder than ${dataFolder}. STELE_DATA must be the same folder for every process that uses this DATABASE_URL.\nIf this is the right folder, but it was restored without its file ${NAME}, run: echo ${wanted} > ${path}`,
  );
}

async function idIn(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (reason) {
    if (isCode(reason, 'ENOENT')) return null;
    throw reason;
  }
}

/** Creates the ID by linking a temporary file, so that only one of several starting processes succeeds. */
async function makeId(dataFolder: string, path: string): Promise<string> {
  await mkdir(dataFolder, { recursive: true });
  const draft = `${path}.${randomUUID()}`;
  const file = await open(draft, 'wx', 0o640);
  try {
    await file.writeFile(`${randomUUID()}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await link(draft, path);
  } catch (reason) {
    if (!isCode(reason, 'EEXIST')) throw reason;
  } finally {
    await unlink(draft);
  }
  return (await readFile(path, 'utf8')).trim();
}
