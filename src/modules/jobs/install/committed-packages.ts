import { plural } from '../../../kernel/output/quantities.js';
import type { RepoEntry } from '../../../kernel/ports/outside/repositories.js';

const MAX_NAMED = 5;
const MAX_PATH = 100;

export type WithoutPackages = { readonly entries: readonly RepoEntry[]; readonly folders: readonly string[] };

/**
 * Omits folders and links called `node_modules`, because Node.js would run their code instead of the locked packages.
 */
export function withoutCommittedPackages(entries: readonly RepoEntry[]): WithoutPackages {
  const folders = new Set<string>();
  const others = entries.filter(({ path }) => {
    const folder = path === null ? null : outermostPackages(path);
    if (folder !== null) folders.add(folder);
    return folder === null;
  });
  return { entries: others, folders: [...folders] };
}

const NAME = 'node_modules';

function outermostPackages(path: string): string | null {
  for (let from = 0; ; ) {
    const at = path.indexOf(NAME, from);
    if (at === -1) return null;
    const end = at + NAME.length;
    const isWhole = (at === 0 || path[at - 1] === '/') && (end === path.length || path[end] === '/');
    if (isWhole) return path.slice(0, end);
    from = end;
  }
}

export function ignoredPackages(folders: readonly string[]): string {
  const named = folders.slice(0, MAX_NAMED).map((folder) => folder.slice(0, MAX_PATH));
  const more = folders.length > MAX_NAMED ? ', …' : '';
  return `Ignored ${plural(folders.length, 'node_modules folder')} in the repository (${named.join(', ')}${more}): dependencies are installed instead.`;
}
