/** Folders in which operating systems and network drives keep data about the files beside them. */
const SYSTEM_FOLDER =
  /(?:^|\/)(?:__macosx|\.appledouble|\.spotlight-v100|\.trashes|\.fseventsd|\.temporaryitems|\.documentrevisions-v100|@eadir|\$recycle\.bin|system volume information)\//i;

/** Files of file managers, in lower case. macOS stores a folder’s icon in “Icon” followed by a carriage return. */
const FILE_MANAGER_FILES = new Set([
  ...['.ds_store', '.localized', '.apdisk', 'icon\r'],
  ...['thumbs.db', 'ehthumbs.db', 'desktop.ini', '.directory'],
]);

/** Windows records the origin of a download in an NTFS stream, which WSL copies to a file. U+F03A replaces the colon. */
const ORIGIN_OF_DOWNLOAD = /[:\uf03a]zone\.identifier$/;

/**
 * Returns why a file that file managers or operating systems add to a folder is left out of the site, or null for any
 * other file.
 */
export function explainOmission(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (FILE_MANAGER_FILES.has(name)) return 'file manager metadata is not published';
  // On macOS, `._name` contains attributes of `name` that tar and zip cannot represent.
  if (name.startsWith('._')) return 'macOS metadata is not published';
  if (ORIGIN_OF_DOWNLOAD.test(name)) return 'Windows metadata is not published';
  return SYSTEM_FOLDER.test(path) ? 'metadata of the operating system is not published' : null;
}

/** Returns the path of the system folder that contains the file, ending in a slash. Otherwise, returns the file’s path. */
export function omittedAs(path: string): string {
  const found = SYSTEM_FOLDER.exec(path);
  return found ? path.slice(0, found.index + found[0].length).replace(/^(?:\.\/)+/, '') : path;
}
