import { isStreamSafe, nfc, nfd } from '../../../kernel/nfc.js';
import { refuse } from '../../../kernel/refusal.js';

const BIDI = /\p{Bidi_Control}/u;
/** Matches nearly all real paths. A path that matches is valid and canonical, unless it is blocked. */
const PLAIN = /^[\w-]+(?:\.[\w-]+)*(?:\/[\w-]+(?:\.[\w-]+)*){0,30}$/;
/** ASCII has only one Unicode form, so only the case needs to be normalized. */
const ASCII = /^[\x20-\x7e]*$/;
const CONTROL = /\p{Control}/u;
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * Maximum length of a path in UTF-16 units. A path of 1,024 bytes in NFC is never longer, even in NFD, in which a
 * two-byte letter has up to three units.
 */
const MAX_UNITS = 2_048;
const TOO_LONG = 'is longer than 1,024 bytes';
const TOO_MANY_MARKS = 'has more than 30 combining marks in a row';

/**
 * Returns the canonical form of a path (docs/interface/publishing.md, "File paths"): relative, with forward slashes, in
 * NFC, without a leading `./`. Throws `invalid_path` or `blocked_path`. `field` is its location in the request.
 */
export function sitePath(given: string, field: string): string {
  if (given.length <= 255 && PLAIN.test(given) && !isBlocked(given)) return given;
  const joined = nfc(given.toWellFormed(), MAX_UNITS);
  if (joined === null) {
    if (given.length > MAX_UNITS) return refuseFor(given, field, TOO_LONG, SHORTER);
    return refuseFor(given, field, TOO_MANY_MARKS, WITHOUT_CHARACTERS);
  }
  const path = joined.replace(/^(\.\/)+/, '');
  const fault = faultOf(path);
  if (fault) refuseFor(given, field, ...fault);
  if (isBlocked(path)) {
    refuse('blocked_path', `${printable(given)} is never published.`, [{ path: field, message: 'is never published' }]);
  }
  return path;
}

/** Throws `invalid_path` if a path is too long. Called before the path is stored; checks nothing else. */
export function assertPathLength(given: string, field: string): void {
  if (given.length > MAX_UNITS) refuseFor(given, field, TOO_LONG, SHORTER);
}

const refuseFor = (given: string, field: string, fault: string, suggestion?: string): never =>
  refuse('invalid_path', `${printable(given)} ${fault}.`, [{ path: field, message: fault }], {
    ...(suggestion !== undefined && { suggestion }),
  });

const RELATIVE = 'Give each file a relative path with forward slashes, such as assets/app.js.';
const SHORTER = 'Use shorter names.';
const WITHOUT_CHARACTERS = 'Remove these characters from the name.';

const RENAME_ONE = 'Rename one of them. Names must differ in more than case or accents.';
const RENAME_FOLDER = 'Rename the file or the folder.';

type PathFault = readonly [fault: string, suggestion: string];

function faultOf(path: string): PathFault | null {
  if (path === '') return ['is empty', RELATIVE];
  if (path.includes('\\')) return ['contains a backslash; separate folders with /', RELATIVE];
  if (CONTROL.test(path)) return ['contains a control character', WITHOUT_CHARACTERS];
  if (BIDI.test(path)) return ['contains a character that changes the text direction', WITHOUT_CHARACTERS];
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path))
    return ['is absolute; paths must be relative to the site', RELATIVE];
  if (Buffer.byteLength(path) > 1024) return [TOO_LONG, SHORTER];
  // Invisible characters between combining marks are removed first, because names are compared without them.
  if (!ASCII.test(path) && !isStreamSafe(path.replace(IGNORABLE, ''))) return [TOO_MANY_MARKS, WITHOUT_CHARACTERS];

  const segments = path.split('/');
  if (segments.length > 32) return ['is more than 32 folders deep', 'Move the file to a higher folder.'];
  for (const segment of segments) {
    if (segment === '') return ['has an empty segment', RELATIVE];
    if (segment === '.' || segment === '..') return ['has a . or .. segment', RELATIVE];
    if (/[.\s]$/.test(segment))
      return ['has a segment that ends in a dot or a space', 'Remove the dot or space at the end of the name.'];
    if (Buffer.byteLength(segment) > 255) return ['has a segment longer than 255 bytes', SHORTER];
  }
  return null;
}

/** Names of blocked files and folders. `git~1` is the short name that Windows assigns to `.git`. */
const BLOCKED = [
  ...['.git', 'git~1', '.svn', '.hg', '.bzr', 'node_modules'],
  // Files that contain passwords or keys, and that no site needs.
  ...['.ssh', 'id_rsa', 'id_dsa', 'id_ecdsa', 'id_ed25519', '.gnupg', '.aws', '.npmrc', '.pypirc', '.netrc', '_netrc'],
  ...['.htpasswd', '.pgpass', '.my.cnf', '.git-credentials', '.bash_history', '.zsh_history', 'wp-config.php'],
];
/**
 * Matches paths that may be blocked. An ASCII path that does not match is not blocked, so most paths need no further
 * check.
 */
const MAY_BE_BLOCKED = new RegExp(
  [...BLOCKED, '.env', '.well-known'].map((name) => name.replaceAll('.', '\\.')).join('|'),
  'i',
);

/**
 * Reports whether a path is blocked, ignoring case, as some file systems do. Like git does for `.git`, removes
 * characters that HFS+ ignores, and the name of an NTFS stream after a colon (`.git::$INDEX_ALLOCATION` is `.git`;
 * CVE-2014-9390, CVE-2019-1352).
 */
function isBlocked(path: string): boolean {
  if (ASCII.test(path) && !MAY_BE_BLOCKED.test(path)) return false;
  const segments = fold(ASCII.test(path) ? path : path.replace(IGNORABLE, '')).split('/');
  if (segments[0] === '.well-known' && segments[1] === 'acme-challenge') return true;
  return segments.some((segment) => BLOCKED.includes(segment.split(':', 1)[0] ?? '') || segment.startsWith('.env'));
}

/**
 * Returns a key for comparing paths. Paths that any common file system treats as equal have the same key, as in
 * node-tar.
 */
const fold = (path: string) =>
  ASCII.test(path) ? path.toLowerCase() : (nfd(path, MAX_UNITS) ?? path).toLowerCase().toUpperCase().toLowerCase();

const folderOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** Rejects two paths of a deploy that differ only in spelling, and a path that is both a file and a folder. */
export class SitePaths {
  readonly #files = new Map<string, string>();
  /** Maps each case-folded path to the spelling that was added first. */
  readonly #folders = new Map<string, string>();

  get count() {
    return this.#files.size;
  }

  has(path: string): boolean {
    return this.#files.get(fold(path)) === path;
  }

  /**
   * Adds a canonical path. Throws `invalid_path` if it collides with another path. `field` is the location of the path
   * in the request. `onDuplicate` is the suggestion if the path was already added.
   */
  add(path: string, field: string, onDuplicate = 'Send each path once.') {
    const folded = fold(path);
    const same = this.#files.get(folded);
    if (same === path) refuseFor(path, field, 'appears twice in the request', onDuplicate);
    if (same !== undefined)
      refuseFor(path, field, `is the same as ${printable(same)} on case-insensitive file systems`, RENAME_ONE);
    if (this.#folders.has(folded)) refuseFor(path, field, 'is both a file and a folder', RENAME_FOLDER);

    let spelt = folderOf(path);
    for (let folder = folderOf(folded); folder !== ''; folder = folderOf(folder), spelt = folderOf(spelt)) {
      if (this.#files.has(folder)) refuseFor(path, field, 'is in a folder that is also a file', RENAME_FOLDER);
      const known = this.#folders.get(folder);
      if (known === spelt) break;
      if (known !== undefined)
        refuseFor(
          path,
          field,
          `is in a folder whose name is the same as ${printable(known)} on case-insensitive file systems`,
          RENAME_ONE,
        );
      this.#folders.set(folder, spelt);
    }
    this.#files.set(folded, path);
  }
}

/** Quotes a path for error messages, without control characters, shortened to 200 characters. */
function printable(path: string) {
  const plain = path
    .slice(0, 201)
    .toWellFormed()
    .replace(/\p{Control}|\p{Bidi_Control}/gu, '\ufffd');
  return `“${plain.length > 200 ? `${plain.slice(0, 200)}…` : plain}”`;
}
