import { isUtf8 } from 'node:buffer';
import { type Entry, getFileNameLowLevel } from 'yauzl';

export type NamedEntry = Pick<Entry, 'versionMadeBy' | 'generalPurposeBitFlag' | 'fileNameRaw' | 'extraFields'>;

/** Flag for UTF-8 names (APPNOTE.TXT, appendix D). Debian’s zip and macOS write UTF-8 without setting the flag. */
const UTF8_FLAG = 0x800;

/** Systems that separate folders with `\\`: MS-DOS, OS/2 and Windows (APPNOTE.TXT, section 4.4.2). */
const DOS_MAKERS = [0, 6, 10, 11, 14];

/**
 * Returns the path of an entry, and a warning if the path may be wrong. A name that is valid UTF-8 is decoded as UTF-8
 * regardless of the flag, because names in older encodings are hardly ever valid UTF-8. Other names are decoded as
 * CP437, the encoding of MS-DOS. Backslashes become slashes, as in Info-ZIP and libarchive, if the archive was created
 * on Windows and the name has no slash.
 */
export function memberName(entry: NamedEntry): { readonly path: string; readonly warning: string | null } {
  const { path, warning } = decodedName(entry);
  if (!DOS_MAKERS.includes(entry.versionMadeBy >>> 8) || !path.includes('\\') || path.includes('/'))
    return { path, warning };
  const slashed = path.replaceAll('\\', '/');
  return { path: slashed, warning: warning ?? BACKSLASHES };
}

const BACKSLASHES =
  'The archive separates folders with backslashes, which were read as slashes. Windows PowerShell 5 creates such archives; PowerShell 7 does not.';

const UNKNOWN_ENCODING =
  'The name of this file is in an unknown encoding, so it may be wrong. Create the archive with UTF-8 names, for example with 7-Zip.';

function decodedName({ versionMadeBy, generalPurposeBitFlag: flags, fileNameRaw: raw, extraFields }: NamedEntry) {
  // This library function also reads the extra field for Unicode paths, if the field belongs to this name.
  const declared = getFileNameLowLevel(flags, raw, extraFields, true);
  const isDeclared = (flags & UTF8_FLAG) !== 0 || declared !== getFileNameLowLevel(flags, raw, [], true);
  if (isDeclared) return { path: declared, warning: null };
  const isOfDos = DOS_MAKERS.includes(versionMadeBy >>> 8);
  // Decode ASCII names as UTF-8, too. As CP437, their control characters would become graphic characters.
  if (isUtf8(raw)) {
    const path = raw.toString('utf8');
    return { path, warning: isOfDos && isMixed(path) ? UNKNOWN_ENCODING : null };
  }
  const isPlausible = isOfDos && raw.every(isAsciiOrLetter);
  return { path: declared, warning: isPlausible ? null : UNKNOWN_ENCODING };
}

/** Accepts ASCII and CP437 letters. Names in Shift_JIS and similar encodings almost always contain other characters. */
const isAsciiOrLetter = (byte: number) =>
  byte < 0x80 || (byte <= 0x9a && byte !== 0x91 && byte !== 0x92) || (byte >= 0xa0 && byte <= 0xa5) || byte === 0xe1;

const SCRIPTS = [
  /\p{Script=Latin}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Arabic}/u,
];

/**
 * Reports whether a name mixes letters of several scripts that need at most two bytes per letter in UTF-8. If the bytes
 * of a name in GBK happen to be valid UTF-8, they usually decode to such a mixture.
 */
function isMixed(path: string): boolean {
  const letters = path.replace(/[^\u0080-\u{10ffff}]/gu, '');
  return !/[^\u0080-\u07ff]/.test(letters) && SCRIPTS.filter((script) => script.test(letters)).length > 1;
}
