import { FileAddresses } from '../../../content/uploads/checks/base-path.js';
import type { JobFile } from '../../sites/api/deploys.js';

const PAGE = 'index.html';
const RULES = '_redirects';

/** Part of the page that is examined. */
const EXAMINED_BYTES = 128 * 1024;

/** A path that rules can contain as it is. */
const PLAIN = /^(?:\/[\w.~-]{1,100}){1,3}\/$/;

/**
 * Passes on the files of a site, whose paths are given. If its first page was built for a path such as `/my-repo/`, as
 * for GitHub Pages, adds rules that serve the site at that path and redirect `/` to it. Otherwise it would have neither
 * scripts nor styles. `onAdded` receives the path. Nothing is added to a site with rules of its own.
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
  const base = known.has(RULES) ? null : (addresses.findBase(known)?.base ?? null);
  if (base === null || !PLAIN.test(base)) return;
  onAdded(base);
  // Only a forced rule applies to missing files with a hash in their names.
  const rules = [`/ ${base} 302!`, `${base.slice(0, -1)} ${base} 302`, `${base}* /:splat 200!`];
  yield { path: RULES, content: Buffer.from(`${rules.join('\n')}\n`) };
}

/** Passes on the content of a file, and its start when it has ended. */
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
