import { access, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { EmbeddedPostgresError, systemCode } from './embedded-postgres-error.js';

/** A folder with PostgreSQL’s `bin`, `lib` and `share`. */
export type Binaries = { readonly home: string; readonly version: string };

/** Returns the PostgreSQL programs that npm installed. Throws if no package exists for this platform. */
export async function packageBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    await access(join(root, 'native', 'bin', 'postgres'));
    return { home: join(root, 'native'), version };
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The package ${name}, which contains PostgreSQL, is not installed: npm was told to omit optional packages, or there is no package for this platform. Run "npm ci".`,
      { cause: error },
    );
  }
}

/**
 * Creates the links between libraries, because npm packages cannot contain links. The package’s install script does
 * the same if npm is allowed to run it. Returns false if links are missing and the folder is not writable.
 */
export async function linkLibraries(home: string): Promise<boolean> {
  const listed = await readFile(join(home, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links: { source: string; target: string }[] = JSON.parse(listed);
  try {
    for (const { source, target } of links) await linkOnce(basename(source), join(dirname(home), target));
    return true;
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes(systemCode(error) ?? '')) return false;
    throw error;
  }
}

async function linkOnce(source: string, target: string) {
  try {
    await access(target);
  } catch {
    await symlink(source, target).catch((error) => {
      if (systemCode(error) !== 'EEXIST') throw error;
    });
  }
}
