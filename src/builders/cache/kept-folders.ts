import { INSIDE } from '../inside/places.js';

/**
 * What is kept of dependencies: every `node_modules` of the work tree, and Yarn’s cache in it or in the home, which Yarn
 * looks into whatever else is there.
 */
const FOUND = `find . \\( -name node_modules -o -path '*/.yarn/cache' \\) -type d -prune`;
const YARN = '.yarn/berry/cache';

const COPY = 'cp -a --reflink=auto';
const { cache, home, workTree } = INSIDE;

/**
 * Copies them to the cache, where the users of other builds read them. Ends badly where one cannot be copied, or all
 * together are more than so many bytes.
 */
export const keeping = (bytesAtMost: number) => `set -e
bytes=$( { ${FOUND} -print0; if [ -d ~/${YARN} ]; then printf '%s\\0' ~/${YARN}; fi; } |
  du --summarize --total --block-size=1 --files0-from=- | tail -n 1 | cut -f 1)
[ "$bytes" -le ${bytesAtMost} ]
mkdir ${cache}/work ${cache}/home
${FOUND} -exec ${COPY} --parents -t ${cache}/work {} +
if [ -d ~/${YARN} ]; then cd ~ && ${COPY} --parents -t ${cache}/home ${YARN}; fi
chmod -R a+rX ${cache}`;

/** Copies them back. */
export const restoring = `${COPY} ${cache}/work/. ${workTree}/ && ${COPY} ${cache}/home/. ${home}/`;

/** Removes what a copy that was broken off has put back. */
export const removing = `${FOUND} -exec rm -rf {} + ; rm -rf ~/${YARN}`;
