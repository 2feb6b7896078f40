import { html, type Markup } from '../../../edge/browser/markup.js';
import { PALETTE } from '../../../edge/http/pages/palette.js';
import { plural } from '../../../kernel/output/quantities.js';
import type { Manifest } from '../../../storage/blobs/manifest.js';
import { listNames } from './folder-names.js';

export type FolderListing = {
  readonly slug: string;
  /** Path of the folder, relative to the site; empty or with a trailing slash. */
  readonly path: string;
};

/** Maximum number of names on the page of a folder. Nobody reads more, and any visitor can request the page. */
const MAX_ENTRIES = 2_000;

/** Content security policy that allows only the page's own style, whatever the names of the files are. */
export const FOLDER_PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/**
 * Renders the list of files in a folder that has no page of its own. Folders come first, then files with their sizes,
 * each in natural order. Links are relative, so that they work at every URL of the site.
 */
export const folderPage = ({ slug, path }: FolderListing, manifest: Manifest): string => {
  const names = listNames(manifest, path);
  // Sorting with a collator is slow, so only the names that are shown are sorted.
  const shown = [...names.filter(isFolder), ...names.filter((name) => !isFolder(name))]
    .slice(0, MAX_ENTRIES)
    .sort(byName);
  const title = `${slug}/${path}`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${crumbs(slug, path)}</h1>
<table>
<thead><tr><th scope="col">Name</th><th scope="col">Size</th></tr></thead>
<tbody>
${path === '' ? null : html`<tr><td><a class="folder" href="../">..</a></td><td></td></tr>\n`}${shown.map((name) => row(name, manifest.files.get(path + name)?.size))}
</tbody>
</table>${names.length > MAX_ENTRIES ? html`\n<p>${plural(names.length - MAX_ENTRIES, 'more entry is', 'more entries are')} not listed.</p>` : null}
</main>
</body>
</html>
`.markup;
};

const row = (name: string, size: number | undefined): Markup =>
  size === undefined
    ? html`<tr><td><a class="folder" href="${addressOf(name)}"><bdi>${name}</bdi></a></td><td></td></tr>`
    : html`<tr><td><a href="${addressOf(name)}"><bdi>${name}</bdi></a></td><td title="${plural(size, 'byte')}">${readable(size)}</td></tr>`;

function crumbs(slug: string, path: string): Markup {
  const names = [slug, ...path.split('/').slice(0, -1)];
  const last = names.length - 1;
  const crumb = (name: string, at: number) =>
    at === last ? html`<bdi>${name}</bdi>` : html`<a href="${'../'.repeat(last - at)}"><bdi>${name}</bdi></a>`;
  return html`${names.map((name, at) => html`${crumb(name, at)}<span>/</span>`)}`;
}

/** Start each link with `./`, so that a name can't be interpreted as a scheme or another host. */
const addressOf = (name: string) =>
  name.endsWith('/')
    ? `./${encodeURIComponent(name.slice(0, -1).toWellFormed())}/`
    : `./${encodeURIComponent(name.toWellFormed())}`;

const collator = new Intl.Collator('en', { numeric: true });
const isFolder = (name: string) => name.endsWith('/');
const byName = (a: string, b: string) => Number(isFolder(b)) - Number(isFolder(a)) || collator.compare(a, b);

const UNITS = ['bytes', 'KB', 'MB', 'GB'] as const;

/** Formats a file size in decimal units, with one decimal place below ten. */
function readable(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1_000 && unit < UNITS.length - 1) [value, unit] = [value / 1_000, unit + 1];
  const text = unit === 0 || value >= 10 ? String(Math.round(value)) : value.toFixed(1);
  return `${text} ${bytes === 1 ? 'byte' : UNITS[unit]}`;
}

const STYLE: Markup = {
  markup:
    PALETTE +
    `body{font:1rem/1.5 system-ui,sans-serif;margin:0;color:var(--text);background:var(--ground)}` +
    `main{max-width:52rem;margin:3rem auto;padding:0 1.25rem}h1{font:600 1.35rem/1.3 Georgia,serif;margin:0 0 1.25rem;overflow-wrap:anywhere}` +
    `h1 span{color:var(--soft);margin:0 .05rem 0 .3rem;font-weight:400}table{width:100%;border-collapse:collapse}` +
    `th{text-align:left;font-weight:500;font-size:.875rem;color:var(--soft)}th,td{padding:.45rem .5rem;border-bottom:1px solid var(--line);vertical-align:top}` +
    `p{color:var(--soft)}td:first-child{overflow-wrap:anywhere}th:last-child,td:last-child{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums;color:var(--soft)}` +
    `tbody tr:hover{background:var(--card)}a{color:var(--accent);text-decoration:none}a:hover,a:focus-visible{text-decoration:underline}.folder{font-weight:600}`,
};
