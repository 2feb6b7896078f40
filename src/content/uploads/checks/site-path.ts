import { isStreamSafe, nfc, nfd } from '../../../kernel/nfc.js';
import { refuse } from '../../../kernel/refusal.js';

const BIDI = /\p{Bidi_Control}/u;
/**
 * Letters, digits, `_` and `-`, with single dots within a name and a few folders: nearly every path, and none that the
 * rules below would change or refuse, except those that are never published.
 */
const PLAIN = /^[\w-]+(?:\.[\w-]+)*(?:\/[\w-]+(?:\.[\w-]+)*){0,30}$/;
/** ASCII has one Unicode form only, so that such a path needs no normalising but of its case. */
const ASCII = /^[\x20-\x7e]*$/;
const CONTROL = /\p{Control}/u;
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;

/** A path of 1,024 bytes in NFC may have come in so many UTF-16 units: NFD parts a letter of two bytes into three. */
const UNITS_UP_TO = 2_048;
const TOO_LONG = 'is longer than 1,024 bytes';
const TOO_MANY_MARKS = 'has more than 30 combining marks in a row';

/**
 * The canonical form of a file’s path (docs/interface/publishing.md, "File paths"): relative, forward slashes, NFC,
 * without a leading `./`. Refuses with `invalid_path` or `blocked_path`, naming the path; `field` is its place in the
 * request.
 */
export function sitePath(given: string, field: string): string {
  if (given.length <= 255 && PLAIN.test(given) && !isBlocked(given)) return given;
  const joined = nfc(given.toWellFormed(), UNITS_UP_TO);
  if (joined === null) return refuseFor(given, field, given.length > UNITS_UP_TO ? TOO_LONG : TOO_MANY_MARKS);
  const path = joined.replace(/^(\.\/)+/, '');
  const fault = faultOf(path);
  if (fault) refuseFor(given, field, fault);
  if (isBlocked(path)) {
    refuse('blocked_path', `${printable(given)} is never published.`, [{ path: field, message: 'is never published' }]);
  }
  return path;
}

/** Refuses with `invalid_path` a path so long that it cannot be one, before it is kept; others may still be refused. */
export function assertPathLength(given: string, field: string): void {
  if (given.length > UNITS_UP_TO) refuseFor(given, field, TOO_LONG);
}

const refuseFor = (given: string, field: string, fault: string): never =>
  refuse('invalid_path', `${printable(given)} ${fault}.`, [{ path: field, message: fault }]);

function faultOf(path: string): string | null {
  if (path === '') return 'is empty';
  if (path.includes('\\')) return 'contains a backslash; separate folders with /';
  if (CONTROL.test(path)) return 'contains a control character';
  if (BIDI.test(path)) return 'contains a character that changes the direction of text';
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'is absolute; paths must be relative to the site';
  if (Buffer.byteLength(path) > 1024) return TOO_LONG;
  // Without what may stand between them unseen: names are compared without it.
  if (!ASCII.test(path) && !isStreamSafe(path.replace(IGNORABLE, ''))) return TOO_MANY_MARKS;

  const segments = path.split('/');
  if (segments.length > 32) return 'is more than 32 folders deep';
  for (const segment of segments) {
    if (segment === '') return 'has an empty segment';
    if (segment === '.' || segment === '..') return 'has a . or .. segment';
    if (/[.\s]$/.test(segment)) return 'has a segment that ends in a dot or a space';
    if (Buffer.byteLength(segment) > 255) return 'has a segment longer than 255 bytes';
  }
  return null;
}

/** `git~1` is the short name that Windows gives `.git`. */
const BLOCKED = ['.git', 'git~1', '.ssh', 'node_modules', '.npmrc'];
/** An ASCII path without any of these passes all the rules below: one look is enough for most paths. */
const MAY_BE_BLOCKED = new RegExp(
  [...BLOCKED, '.env', '.well-known'].map((name) => name.replaceAll('.', '\\.')).join('|'),
  'i',
);

/**
 * Whether a path is never published. Case is folded, so that `.GIT/config` does not reach a disk that ignores case.
 * Characters that HFS+ ignores when it compares names are removed, and so is the stream that NTFS finds behind a colon
 * (`.git::$INDEX_ALLOCATION` is `.git`), as git itself does for `.git` (CVE-2014-9390, CVE-2019-1352).
 */
function isBlocked(path: string): boolean {
  if (ASCII.test(path) && !MAY_BE_BLOCKED.test(path)) return false;
  const segments = fold(ASCII.test(path) ? path : path.replace(IGNORABLE, '')).split('/');
  if (segments[0] === '.well-known' && segments[1] === 'acme-challenge') return true;
  return segments.some((segment) => BLOCKED.includes(segment.split(':', 1)[0] ?? '') || segment.startsWith('.env'));
}

/** The key by which paths are compared, as node-tar does: equal for paths that any common file system takes for one. */
const fold = (path: string) =>
  ASCII.test(path) ? path.toLowerCase() : (nfd(path, UNITS_UP_TO) ?? path).toLowerCase().toUpperCase().toLowerCase();

/** The folder of a path; empty for a path at the top. */
const folderOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** The paths of one deploy: each file and folder once, however it is spelt, and nothing that is both. */
export class SitePaths {
  readonly #files = new Map<string, string>();
  /** By folded path, as they were first spelt. */
  readonly #folders = new Map<string, string>();

  get count() {
    return this.#files.size;
  }

  /** Whether the path was added, exactly as it is spelt here. */
  has(path: string): boolean {
    return this.#files.get(fold(path)) === path;
  }

  /**
   * Adds a path in its canonical form. Refuses with `invalid_path` one that collides with another; `field` is its place
   * in the request.
   */
  add(path: string, field: string) {
    const folded = fold(path);
    const same = this.#files.get(folded);
    if (same === path) refuseFor(path, field, 'appears twice in the request');
    if (same !== undefined)
      refuseFor(path, field, `is the same as ${printable(same)} on file systems that ignore case`);
    if (this.#folders.has(folded)) refuseFor(path, field, 'is both a file and a folder');

    let spelt = folderOf(path);
    for (let folder = folderOf(folded); folder !== ''; folder = folderOf(folder), spelt = folderOf(spelt)) {
      if (this.#files.has(folder)) refuseFor(path, field, 'is in a folder that is also a file');
      const known = this.#folders.get(folder);
      if (known === spelt) break;
      if (known !== undefined)
        refuseFor(
          path,
          field,
          `is in a folder that is the same as ${printable(known)} on file systems that ignore case`,
        );
      this.#folders.set(folder, spelt);
    }
    this.#files.set(folded, path);
  }
}

/** A path as a message may show it: quoted, without control characters, at most 200 characters. */
function printable(path: string) {
  const plain = path
    .slice(0, 201)
    .toWellFormed()
    .replace(/\p{Control}|\p{Bidi_Control}/gu, '\ufffd');
  return `“${plain.length > 200 ? `${plain.slice(0, 200)}…` : plain}”`;
}
