import { FileAddresses } from '../../../content/uploads/checks/base-path.js';
import type { JobFile } from '../../sites/api/deploys.js';

const PAGE = 'index.html';
export const RULES = '_redirects';

const EXAMINED_BYTES = 128 * 1024;

/** Matches paths without characters that have a special meaning in rules. */
const PLAIN = /^(?:\/[\w.~-]{1,100}){1,3}\/$/;

/**
 * Yields the files of a site (decision 0176). If its `index.html` was built for a path such as `/my-repo/`, as for
 * GitHub Pages, adds a `_redirects` file that serves the site at that path and redirects `/` to it, and calls `onAdded`
 * with the path. Without this file, browsers could not load the site's scripts and style sheets. Adds nothing to a site
 * that has a `_redirects` file.
 */
export async function* withBasePathRules(
  files: AsyncIterable<JobFile>,
  paths: readonly (string | null)[],
  onAdded: (base: string) => void,
): AsyncGenerator<JobFile> {
  const known = new Set(paths.filter((path) => path !== null));
  const addresses = new FileAddresses();
  for await (const file of files) {
    if ('content' in file && file.path === PAGE)
      yield { path: PAGE, content: examined(file.content, (start) => addresses.see(PAGE, start)) };
    else yield file;
  }
  const base = known.has(RULES) ? null : addresses.findBuiltFor(known);
  if (base === null || !PLAIN.test(base)) return;
  onAdded(base);
  // Without `!`, a rule in `_redirects` does not apply to missing files with a hash in their names.
  const rules = [`/ ${base} 302!`, `${base.slice(0, -1)} ${base} 302`, `${base}* /:splat 200!`];
  yield { path: RULES, content: Buffer.from(`${rules.join('\n')}\n`) };
}

/** Yields the content of a file, and then calls `onStart` with its first 128 KiB. */
async function* examined(
  content: Uint8Array | AsyncIterable<Uint8Array>,
  onStart: (start: Buffer) => void,
): AsyncGenerator<Uint8Array> {
  const start: Uint8Array[] = [];
  let left = EXAMINED_BYTES;
  for await (const piece of content instanceof Uint8Array ? [content] : content) {
    if (left > 0) start.push(Uint8Array.from(piece.subarray(0, left)));
    left -= piece.length;
    yield piece;
  }
  onStart(Buffer.concat(start));
}
