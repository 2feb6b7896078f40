/** Matches paths in folders that operating systems and network drives create for their own data. */
const SYSTEM_FOLDER =
  /(?:^|\/)(?:__macosx|\.appledouble|\.spotlight-v100|\.trashes|\.fseventsd|\.temporaryitems|\.documentrevisions-v100|@eadir|\$recycle\.bin|system volume information)\//i;

/**
 * Names of files that file managers create, in lower case. macOS stores a folder’s icon in a file named “Icon”,
 * followed by a carriage return.
 */
const FILE_MANAGER_FILES = new Set([
  ...['.ds_store', '.localized', '.apdisk', 'icon\r'],
  ...['thumbs.db', 'ehthumbs.db', 'desktop.ini', '.directory'],
]);

/**
 * Matches files that contain the origin of a download. Windows stores it in an NTFS stream. WSL copies the stream to a
 * file whose name contains a colon, or U+F03A in place of the colon.
 */
const ORIGIN_OF_DOWNLOAD = /[:\uf03a]zone\.identifier$/;

/**
 * Returns why a file is left out of the site, or null if it is published. Files that a file manager or operating system
 * created are left out.
 */
export function explainOmission(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (FILE_MANAGER_FILES.has(name)) return 'file manager metadata is not published';
  // On macOS, `._name` contains attributes of `name` that tar and zip cannot represent.
  if (name.startsWith('._')) return 'macOS metadata is not published';
  if (ORIGIN_OF_DOWNLOAD.test(name)) return 'Windows metadata is not published';
  return SYSTEM_FOLDER.test(path) ? 'operating system metadata is not published' : null;
}

/**
 * Returns the path of the system folder that contains the file, with a trailing slash. Returns the path of the file if
 * it is not in a system folder.
 */
export function omittedAs(path: string): string {
  const found = SYSTEM_FOLDER.exec(path);
  return found ? path.slice(0, found.index + found[0].length).replace(/^(?:\.\/)+/, '') : path;
}
