import type { KeptDependencies } from '../../kernel/ports/outside/builder.js';
import { INSIDE } from '../inside/places.js';

/** Where package managers store what they have downloaded, below the home. */
const STORES = ['.npm/_cacache', '.cache/yarn', '.yarn/berry/cache', '.local/share/pnpm/store', '.bun/install/cache'];

/** Finds the folders of the work tree to keep. pnpm has its store there if the home is on another mount. */
const FIND = {
  packages: 'find . -name node_modules -type d -prune',
  downloads: `find . -name node_modules -prune -o \\( -path '*/.yarn/cache' -o -path ./.pnpm-store \\) -type d -prune`,
} as const;

/** Lists those of the home. A function of the shell, which prints nothing if there are none. */
const stores = (kind: KeptDependencies['kind']) =>
  `stores() { cd ~; for store in ${kind === 'downloads' ? STORES.join(' ') : ''}; do
  if [ -d "$store" ]; then printf '%s\\0' "$store"; fi; done; }`;

const COPY = 'cp -a --reflink=auto';
const { cache, home, workTree } = INSIDE;

/**
 * Copies them to the cache, where the users of other builds read them. Fails if one cannot be copied, or if all together
 * are larger than this many bytes.
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

/** Copies them back. */
export const restoring = `${COPY} ${cache}/work/. ${workTree}/ && ${COPY} ${cache}/home/. ${home}/`;

/** Removes what an interrupted copy has restored. */
export const removing = `${FIND.packages} -exec rm -rf {} + ; ${FIND.downloads} -exec rm -rf {} + ;
cd ~ && rm -rf ${STORES.join(' ')}`;
