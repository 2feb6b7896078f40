import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';

const SIZE = 32;

export class MasterKeyError extends Error {
  override readonly name = 'MasterKeyError';
}

/**
 * Returns the 32-byte key that encrypts secrets in the database: `given` if it is set, otherwise the key in the data
 * folder. The first process creates that key, readable only by its owner. Throws `MasterKeyError` if the file
 * contains no key.
 */
export async function openMasterKey(dataFolder: string, given: Buffer | null): Promise<Buffer> {
  if (given) return given;
  return keyIn(dataFolder, join(dataFolder, 'master-key'), () => randomBytes(SIZE));
}

/**
 * Returns the next master key: `given` if it is set, otherwise a new key. The next key is stored beside the current
 * one until it is adopted, so that an interrupted change can continue with it. Throws `MasterKeyError` if an earlier
 * change has stored a key that differs from `given`.
 */
export async function prepareMasterKey(dataFolder: string, given: Buffer | null): Promise<Buffer> {
  const path = waiting(dataFolder);
  const key = await keyIn(dataFolder, path, () => given ?? randomBytes(SIZE));
  if (given && !given.equals(key))
    throw new MasterKeyError(
      `${path} already contains a different new key from an interrupted key change. Unset STELE_SECRET_KEY_NEXT and finish that change first.`,
    );
  return key;
}

/** Replaces the master key in the data folder with the next master key, which is stored beside it. */
export async function adoptMasterKey(dataFolder: string): Promise<void> {
  await rename(waiting(dataFolder), join(dataFolder, 'master-key'));
  await flush(dataFolder);
}

const waiting = (dataFolder: string) => join(dataFolder, 'master-key.next');

async function keyIn(dataFolder: string, path: string, make: () => Buffer): Promise<Buffer> {
  const text = (await kept(path)) ?? (await made(dataFolder, path, make()));
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length !== SIZE || key.toString('base64') !== text.trim()) {
    throw new MasterKeyError(
      `${path} does not contain a master key (32 bytes in base64).\nRestore the original file from a backup of the data folder. Secrets encrypted with that key cannot be read without it.`,
    );
  }
  return key;
}

async function kept(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Returns an error's code. Does not check the class, because system errors in tests come from a different realm. */
const codeOf = (error: unknown) =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;

/** Links the file only after the whole key was written, so that no process reads half a key or creates a second key. */
async function made(dataFolder: string, path: string, key: Buffer): Promise<string> {
  await mkdir(dataFolder, { recursive: true });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${key.toString('base64')}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await link(draft, path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await unlink(draft);
  }
  await flush(dataFolder);
  return readFile(path, 'utf8');
}

/** Syncs the folder. Without this, a file that was just created or renamed could be lost in a power failure. */
async function flush(dataFolder: string): Promise<void> {
  const folder = await open(dataFolder, 'r');
  await folder.sync().finally(() => folder.close());
}
