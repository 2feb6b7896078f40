/** Files that operating systems leave in folders. They are never part of a site. */
const SYSTEM_FILES = new Set(['.ds_store', 'thumbs.db', 'desktop.ini', '__macosx']);

/** Files that configure the command itself. */
const OWN_FILES = new Set(['stele.json', '.steleignore']);

/** Names that the service refuses at any depth (docs/interface/publishing.md, "File paths"). */
const BLOCKED_NAMES = new Set(['node_modules', '.git', '.svn', '.hg', '.bzr']);
const BLOCKED_BEGINNINGS = [
  ...['.env', '.ssh', 'id_rsa', 'id_dsa', 'id_ecdsa', 'id_ed25519', '.gnupg', '.aws', '.npmrc', '.pypirc', '.netrc'],
  ...['_netrc', '.htpasswd', '.pgpass', '.my.cnf', '.git-credentials', '.bash_history', '.zsh_history'],
  'wp-config.php',
];

export type LeftOutReason = 'blocked' | 'encoding' | 'ignored' | 'link' | 'special' | 'system' | 'own';

/** A file or folder that is not deployed, and why. */
export type LeftOut = { readonly path: string; readonly isFolder: boolean; readonly reason: LeftOutReason };

/** Returns why a path is never deployed, or null. `path` is relative to the root of the site. */
export function reasonToLeaveOut(path: string): LeftOutReason | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (OWN_FILES.has(path)) return 'own';
  if (SYSTEM_FILES.has(name) || name.startsWith('._')) return 'system';
  if (BLOCKED_NAMES.has(name) || BLOCKED_BEGINNINGS.some((beginning) => name.startsWith(beginning))) return 'blocked';
  return path.toLowerCase() === '.well-known/acme-challenge' ? 'blocked' : null;
}

/** Sorts by the bytes of paths in UTF-8, as a manifest does. UTF-16 would order some characters differently. */
export const sortByPath = <Item extends { readonly path: string }>(items: readonly Item[]): Item[] =>
  items
    .map((item) => ({ item, bytes: Buffer.from(item.path) }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ item }) => item);
