import { readFile, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, join, parse, relative, resolve, sep } from 'node:path';
import { RefusedError } from '../command-line/errors.js';
import { homeFolder } from '../credentials/places.js';
import { formatPosition } from './syntax-position.js';

/** The content of `stele.json`. The file is meant to be committed, so it contains no secret. */
export type Link = {
  readonly instance?: string;
  readonly site?: string;
  /** The folder or file to deploy, relative to `stele.json`. */
  readonly folder?: string;
};

export type FoundLink = Link & { readonly file: string };

const NAME = 'stele.json';
/** Maximum size of `stele.json`. The files that this command writes are smaller than 1 KiB. */
const MAX_BYTES = 65_536;

const FIELDS = ['instance', 'site', 'folder'] as const;

/** Finds `stele.json` in a folder or above it, up to the folder of the repository or the home folder. */
export async function findLink(from: string): Promise<FoundLink | null> {
  const file = await findLinkFile(from);
  return file === null ? null : { ...(await readLink(file)), file };
}

/** Returns the path of the file that `findLink` reads, which may be invalid. */
export async function findLinkFile(from: string): Promise<string | null> {
  const exists = async (path: string) => (await stat(path).catch(() => null)) !== null;
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const file = join(folder, NAME);
    if (await exists(file)) return file;
    const isRepository = await exists(join(folder, '.git', 'HEAD'));
    if (isRepository || folder === homeFolder() || folder === parse(folder).root) return null;
  }
}

/** Reads the `stele.json` that is directly in a folder, or returns null. */
export async function readLinkIn(folder: string): Promise<FoundLink | null> {
  const file = join(resolve(folder), NAME);
  const link = await readLink(file);
  return link && { ...link, file };
}

/** Writes `stele.json`. Keeps existing fields that `link` does not have. */
export async function writeLink(folder: string, link: Link): Promise<string> {
  const file = join(resolve(folder), NAME);
  await writeFile(file, `${JSON.stringify({ ...(await readLink(file)), ...link }, null, 2)}\n`);
  return file;
}

/** Returns the folder or file that `stele deploy` publishes. */
export const resolveLinkedFolder = ({ file, folder = '.' }: FoundLink) => resolve(dirname(file), folder);

export const removeLink = (file: string) => unlink(file);

/** Formats a path for `stele.json`: relative to `from`, and with slashes on every system. */
export const toLinkPath = (from: string, path: string) =>
  relative(resolve(from), resolve(path)).split(sep).join('/') || '.';

/** Reads a file, or returns null if it does not exist. Rejects pipes and devices: reading them may never end. */
async function readLink(file: string): Promise<Link | null> {
  const stats = await stat(file).catch(() => null);
  if (!stats) return null;
  if (!stats.isFile()) throw refuse(file, 'is not a regular file.');
  if (stats.size > MAX_BYTES) throw refuse(file, 'is larger than 64 KiB.');
  return parseLink(await readFile(file, 'utf8'), file);
}

const refuse = (file: string, reason: string) =>
  new RefusedError(`${file} ${reason}`, 'link_invalid', [{ command: 'stele unlink', when: 'to remove the file' }]);

function parseLink(text: string, file: string): Link {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw refuse(file, `is not valid JSON${formatPosition(error)}.`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw refuse(file, 'must contain a JSON object.');
  const link: Record<string, unknown> = { ...value };
  for (const field of FIELDS)
    if (link[field] !== undefined && typeof link[field] !== 'string')
      throw refuse(file, `is invalid: \`${field}\` must be a string.`);
  if (Object.values(link).some((each) => typeof each === 'string' && /stele_(edit|session|pat)_/.test(each)))
    throw refuse(
      file,
      'contains a token, but is meant to be committed. Remove the token from the file, and revoke it.',
    );
  // Allow only harmless characters, because the name is shown in commands that users copy.
  if (typeof link.site === 'string' && !/^[a-z0-9][a-z0-9-]{0,62}$/.test(link.site))
    throw refuse(
      file,
      'is invalid: `site` must contain only lowercase letters, digits and hyphens, and must not begin with a hyphen.',
    );
  return link;
}
