import { isSiteFile } from './site-file-limits.js';

/** The result of looking up a path: a file to show, the path that the visitor is redirected to, or null. */
export type PageLookup = { readonly kind: 'file' | 'moved'; readonly path: string } | null;

/**
 * Implements docs/interface/serving.md, "Which file is shown", step 1. `/` and folders show `index.html`. `/about`
 * shows the file of exactly that name, else `about.html`, else leads to the folder `/about/`. `/about/` without an
 * index leads to `/about` if there is an `about.html`, as at Netlify and Cloudflare Pages. Slashes that are repeated are
 * merged, as by nginx and Apache, which no file of a site contains. Paths are in NFC, without a leading slash. Files
 * about the site itself are not shown.
 */
export function lookUpPage(has: (path: string) => boolean, path: string): PageLookup {
  if (path.startsWith('/') || path.includes('//')) {
    const merged = path.replace(/^\/+/, '').replace(/\/{2,}/g, '/');
    const found = lookUpPage(has, merged);
    return found && { kind: 'moved', path: found.kind === 'moved' ? found.path : merged };
  }
  const isFolder = path === '' || path.endsWith('/');
  for (const candidate of isFolder ? [`${path}index.html`] : [path, `${path}.html`])
    if (has(candidate) && !isSiteFile(candidate)) return { kind: 'file', path: candidate };
  if (path === '') return null;
  if (!isFolder) return has(`${path}/index.html`) ? { kind: 'moved', path: `${path}/` } : null;
  const bare = path.slice(0, -1);
  return bare !== '' && !bare.endsWith('/') && has(`${bare}.html`) ? { kind: 'moved', path: bare } : null;
}
