import { isUtf8 } from 'node:buffer';
import { type Entry, getFileNameLowLevel } from 'yauzl';

/** The part of an entry of a zip that its name depends on. */
export type NamedEntry = Pick<Entry, 'versionMadeBy' | 'generalPurposeBitFlag' | 'fileNameRaw' | 'extraFields'>;

/** Flag of names in UTF-8 (APPNOTE.TXT, appendix D). Debian’s zip and macOS leave it out, although theirs are. */
const UTF8_FLAG = 0x800;

/** Systems that write `\\` between folders: MS-DOS, OS/2 and Windows (APPNOTE.TXT, section 4.4.2). */
const DOS_MAKERS = [0, 6, 10, 11, 14];

/**
 * Returns the path of an entry, and a warning if it may not be the one that its author gave it. Bytes that are valid
 * UTF-8 are UTF-8, whatever the flag says: names in older encodings hardly ever are. Otherwise, the name is read as
 * CP437, the encoding of MS-DOS. Backslashes are read as slashes if the archive was made on Windows and the name has no
 * slash, as Info-ZIP and libarchive do.
 */
export function memberName(entry: NamedEntry): { readonly path: string; readonly warning: string | null } {
  const { path, warning } = decodedName(entry);
  if (!DOS_MAKERS.includes(entry.versionMadeBy >>> 8) || !path.includes('\\') || path.includes('/'))
    return { path, warning };
  const slashed = path.replaceAll('\\', '/');
  return { path: slashed, warning: warning ?? BACKSLASHES };
}

const BACKSLASHES =
  'The archive has backslashes between folders, which were read as slashes. Windows PowerShell 5 writes such archives; PowerShell 7 does not.';

const UNKNOWN_ENCODING =
  'The name of this file is in an unknown encoding, so it may be wrong. Make the archive with names in UTF-8, for example with 7-Zip.';

function decodedName({ versionMadeBy, generalPurposeBitFlag: flags, fileNameRaw: raw, extraFields }: NamedEntry) {
  // This also reads the extra field for Unicode paths, if it belongs to this name.
  const declared = getFileNameLowLevel(flags, raw, extraFields, true);
  const isDeclared = (flags & UTF8_FLAG) !== 0 || declared !== getFileNameLowLevel(flags, raw, [], true);
  if (isDeclared) return { path: declared, warning: null };
  // CP437 also has graphics for control characters, which no program means.
  const isOfDos = DOS_MAKERS.includes(versionMadeBy >>> 8);
  if (isUtf8(raw)) {
    const path = raw.toString('utf8');
    return { path, warning: isOfDos && isMixed(path) ? UNKNOWN_ENCODING : null };
  }
  const isPlausible = isOfDos && raw.every(isAsciiOrLetter);
  return { path: declared, warning: isPlausible ? null : UNKNOWN_ENCODING };
}

/** The letters of CP437. Names in Shift_JIS and similar encodings nearly always contain other characters too. */
const isAsciiOrLetter = (byte: number) =>
  byte < 0x80 || (byte <= 0x9a && byte !== 0x91 && byte !== 0x92) || (byte >= 0xa0 && byte <= 0xa5) || byte === 0xe1;

const SCRIPTS = ['Latin', 'Greek', 'Cyrillic', 'Armenian', 'Hebrew', 'Arabic'].map(
  (script) => new RegExp(`\\p{Script=${script}}`, 'u'),
);

/**
 * Reports whether a name has letters of several scripts, and none that need more than two bytes in UTF-8. Names in GBK
 * are such UTF-8 by chance.
 */
function isMixed(path: string): boolean {
  const letters = path.replace(/[^\u0080-\u{10ffff}]/gu, '');
  return !/[^\u0080-\u07ff]/.test(letters) && SCRIPTS.filter((script) => script.test(letters)).length > 1;
}
