import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Pool } from 'pg';
import { DiskPacks } from '../../../src/storage/blobs/disk.engine.js';
import type { Stele } from '../service/stele.js';

/** Copies stored content of the service to a file, and returns the file's path. */
export async function storedFile(stele: Stele, sha256: string, folder: string): Promise<string> {
  const pool = new Pool(stele.database);
  try {
    const path = join(folder, `${sha256}.tar`);
    await mkdir(folder, { recursive: true });
    await writeFile(path, new DiskPacks(join(stele.folder, 'packs'), pool).stream(sha256));
    return path;
  } finally {
    await pool.end();
  }
}
