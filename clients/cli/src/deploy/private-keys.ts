import { basename } from 'node:path';
import type { HashedFile } from 'stele-api/deploy/hash-files';
import { SmallFiles } from 'stele-api/deploy/small-files';
import type { DeployWarning } from './show-warnings.js';

const LIKELY_NAME = /key|credential|account|\.(pem|p8|asc)\b/i;
const MAX_BYTES = 100_000;
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY/;

/** Returns a warning for each private key. Reads only small files with likely names, so it is fast in large folders. */
export async function findPrivateKeys(
  files: readonly Pick<HashedFile, 'path' | 'location' | 'size'>[],
): Promise<DeployWarning[]> {
  const small = new SmallFiles();
  const hasKey = (content: Buffer) => PRIVATE_KEY.test(content.toString('latin1'));
  const warnings: DeployWarning[] = [];
  for (const { path, location, size } of files) {
    if (size > MAX_BYTES || !LIKELY_NAME.test(basename(path))) continue;
    if (await small.read(location, hasKey).catch(() => false))
      warnings.push({
        file: path,
        message: 'This looks like a private key. To leave it out, add it to .steleignore.',
      });
  }
  return warnings;
}
