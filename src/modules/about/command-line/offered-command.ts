import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { version } from '../../../edge/http/api/version.js';

/** The `stele` command as an archive for npm, which `clients/cli/tools/build.mjs` makes. */
export type OfferedCommand = {
  readonly version: string;
  readonly fileName: string;
  readonly archive: Buffer;
  /** Hexadecimal SHA-256 hash of the archive. */
  readonly sha256: string;
};

/** Returns the archive of the command in the version of this service, or null if it was not built. */
export function readOfferedCommand(
  folder = new URL('../../../../clients/cli/dist/', import.meta.url),
): OfferedCommand | null {
  const fileName = `stele-${version}.tgz`;
  try {
    const archive = readFileSync(new URL(fileName, folder));
    return { version, fileName, archive, sha256: hash('sha256', archive) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
