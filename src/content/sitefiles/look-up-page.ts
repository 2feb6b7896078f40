import { isSiteFile } from './site-file-limits.js';

/** The file to show (`file`), or the path to redirect to (`moved`). Null if the site has neither. */
export type PageLookup = { readonly kind: 'file' | 'moved'; readonly path: string } | null;

/**
 * Implements docs/interface/serving.md, "Which file is shown", step 1. `/` and folders show `index.html`. `/about`
 * shows the file `about` or, if there is none, `about.html`; otherwise, it redirects to the folder `/about/`. `/about/`
 * without an index redirects to `/about` if `about.html` exists, as on Netlify and Cloudflare Pages. Paths are in NFC,
 * without a leading slash. Files such as `_redirects` are not shown.
 */
export function lookUpPage(has: (path: string) => boolean, path: string): PageLookup {
  const isFolder = path === '' || path.endsWith('/');
  for (const candidate of isFolder ? [`${path}index.html`] : [path, `${path}.html`])
    if (has(candidate) && !isSiteFile(candidate)) return { kind: 'file', path: candidate };
  if (path === '') return null;
  if (!isFolder) return has(`${path}/index.html`) ? { kind: 'moved', path: `${path}/` } : null;
  const bare = path.slice(0, -1);
  return bare !== '' && !bare.endsWith('/') && has(`${bare}.html`) ? { kind: 'moved', path: bare } : null;
}

/**
 * Returns the path with repeated slashes merged, or null if it has none. `path` has no leading slash, so a slash at its
 * start is merged as well. No file has a path with an empty segment.
 */
export const mergeSlashes = (path: string): string | null =>
  path.startsWith('/') || path.includes('//') ? path.replace(/\/{2,}/g, '/').replace(/^\//, '') : null;
