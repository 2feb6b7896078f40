import type { KeptDependencies } from '../../kernel/ports/outside/builder.js';
import { INSIDE } from '../inside/places.js';

/** Folders in which package managers store downloads, relative to the home folder. */
const STORES = ['.npm/_cacache', '.cache/yarn', '.yarn/berry/cache', '.local/share/pnpm/store', '.bun/install/cache'];

/**
 * Shell commands that find cacheable folders in the work tree. Downloads include pnpm’s store, which is in the work
 * tree if the home folder is on another mount.
 */
const FIND = {
  packages: 'find . -name node_modules -type d -prune',
  downloads: `find . -name node_modules -prune -o \\( -path '*/.yarn/cache' -o -path ./.pnpm-store \\) -type d -prune`,
} as const;

/** Returns a shell function that prints the package managers’ download folders that exist in the home folder. */
const stores = (kind: KeptDependencies['kind']) =>
  `stores() { cd ~; for store in ${kind === 'downloads' ? STORES.join(' ') : ''}; do
  if [ -d "$store" ]; then printf '%s\\0' "$store"; fi; done; }`;

const COPY = 'cp -a --reflink=auto';
const { cache, home, workTree } = INSIDE;

/**
 * Returns a script that copies installed packages or downloads to the cache if they do not exceed `bytesAtMost` in
 * total. The users of other builds can read the copies.
 */
export const keeping = (kind: KeptDependencies['kind'], bytesAtMost: number) => `set -e
${stores(kind)}
bytes=$( { ${FIND[kind]} -print0; stores | sed -z "s|^|$HOME/|"; } |
  du --summarize --total --block-size=1 --files0-from=- | tail -n 1 | cut -f 1)
[ "$bytes" -le ${bytesAtMost} ]
mkdir ${cache}/work ${cache}/home
${FIND[kind]} -exec ${COPY} --parents -t ${cache}/work {} +
(stores | (cd ~; xargs -0 -r ${COPY} --parents -t ${cache}/home))
chmod -R a+rX ${cache}`;

/** Script that copies cached folders back to the work tree and the home folder. */
export const restoring = `${COPY} ${cache}/work/. ${workTree}/ && ${COPY} ${cache}/home/. ${home}/`;

/** Script that removes all folders that `restoring` may have copied before it was interrupted. */
export const removing = `${FIND.packages} -exec rm -rf {} + ; ${FIND.downloads} -exec rm -rf {} + ;
cd ~ && rm -rf ${STORES.join(' ')}`;
