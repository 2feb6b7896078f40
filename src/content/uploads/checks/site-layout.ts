import { plural } from '../../../kernel/output/quantities.js';
import { fillPagePath } from '../../sitefiles/destination.js';
import type { Redirect } from '../../sitefiles/redirects-file.js';
import { HEADERS, REDIRECTS } from '../../sitefiles/site-file-limits.js';

type LayoutWarning = { readonly file: string; readonly message: string };

/** Files that configure another hosting service or server. */
const OF_OTHERS: Readonly<Record<string, string>> = {
  'vercel.json': 'Vercel',
  'now.json': 'Vercel',
  'netlify.toml': 'Netlify',
  'firebase.json': 'Firebase Hosting',
  'staticwebapp.config.json': 'Azure Static Web Apps',
  'serve.json': 'serve',
  '.htaccess': 'Apache',
  'web.config': 'IIS',
};

/** Misspelled names of `_redirects` and `_headers`. Editors on Windows often add `.txt`, which Explorer then hides. */
const SITE_FILE = /^_(redirect|header)s?(?:\.(?:txt|md|conf|json|toml|ya?ml))?$/i;

const ARCHIVE = /\.(?:zip|tar|tgz|tar\.(?:gz|bz2|xz|zst)|7z|rar)$/i;

/**
 * Warns about files that have a special meaning on other hosting services, and about names that have to be encoded in
 * URLs.
 */
export function explainLayout(paths: readonly string[], redirects: readonly Redirect[]): LayoutWarning[] {
  const all = new Set(paths);
  const shown = new Set(redirects.flatMap(({ to, does }) => (does.kind === 'show' ? [fillPagePath(to, {})] : [])));
  return [
    ...explainSiteFiles(paths, all),
    ...explainFilesOfOthers(all),
    ...explainFallbacks(all, (path) => shown.has(path) || shown.has(path.replace(/(?:\/index)?\.html$/, ''))),
    ...explainReservedCharacters(paths),
  ];
}

/**
 * Warns about a `_redirects` or `_headers` file that has no effect because its name is misspelled or because it is in a
 * folder. Does not warn if a file with the correct name exists at the top level.
 */
function explainSiteFiles(paths: readonly string[], all: ReadonlySet<string>): LayoutWarning[] {
  const warnings: LayoutWarning[] = [];
  const explained = new Set<string>();
  for (const path of paths) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const found = SITE_FILE.exec(name);
    if (!found) continue;
    const meant = found[1]?.toLowerCase() === 'redirect' ? REDIRECTS : HEADERS;
    if (all.has(meant) || explained.has(meant) || (path !== name && name !== meant)) continue;
    explained.add(meant);
    const what = path === name ? 'under this name. Rename it to' : 'in a folder. Move it to the top level, as';
    warnings.push({ file: path, message: `This file is published but has no effect ${what} ${meant}.` });
  }
  return warnings;
}

function explainFilesOfOthers(all: ReadonlySet<string>): LayoutWarning[] {
  const warnings: LayoutWarning[] = [];
  if (all.has('_worker.js'))
    warnings.push({
      file: '_worker.js',
      message: 'This Cloudflare Pages function does not run here. The file is published like any other.',
    });
  if (all.has(REDIRECTS) || all.has(HEADERS)) return warnings;
  for (const [file, service] of Object.entries(OF_OTHERS))
    if (all.has(file))
      warnings.push({
        file,
        message: `This file configures ${service} and has no effect here. Write its redirects to ${REDIRECTS} and its headers to ${HEADERS}.`,
      });
  return warnings;
}

function explainFallbacks(all: ReadonlySet<string>, isShown: (path: string) => boolean): LayoutWarning[] {
  if (all.has('404.html')) return [];
  const warnings: LayoutWarning[] = [];
  if (all.has('200.html') && !isShown('200.html'))
    warnings.push({
      file: '200.html',
      message: `Surge shows this page for missing paths, but Stele does not. To get the same behavior, write “/* /200.html 200” to ${REDIRECTS}.`,
    });
  if (all.has('404/index.html') && !isShown('404/index.html'))
    warnings.push({
      file: '404/index.html',
      message:
        'This page is not shown for missing paths. To show it, rename it to 404.html and move it to the top level.',
    });
  return warnings;
}

function explainReservedCharacters(paths: readonly string[]): LayoutWarning[] {
  const found = paths.filter((path) => /[?#]/.test(path));
  const [file] = found;
  if (file === undefined) return [];
  const others = found.length > 1 ? ` The same applies to ${plural(found.length - 1, 'other file')}.` : '';
  const message = `In links to this file, write ? as %3F and # as %23. Otherwise, browsers request a different file.${others}`;
  return [{ file, message }];
}

/** Warns that a site has no start page, and names the file that was probably meant to be one. */
export function explainNoIndex(paths: readonly string[]): LayoutWarning {
  const [archive] = paths;
  if (archive !== undefined && paths.every((path) => ARCHIVE.test(path)))
    return {
      file: archive,
      message:
        'This archive is published as a file. To publish its content, send it as the body of the request, with Content-Type: application/zip (zip) or application/gzip (tar.gz).',
    };
  const depth = (path: string) => path.split('/').length;
  const [found] = paths
    .filter((path) => /(?:^|\/)(?:index|default)\.html?$/i.test(path))
    .sort((a, b) => depth(a) - depth(b) || a.length - b.length);
  const problem = 'There is no index.html at the top level, so the site’s URL shows a 404 page.';
  if (found === undefined) return { file: 'index.html', message: problem };
  const isInFolder = found.includes('/');
  const remedy = isInFolder
    ? `The closest match is ${found}: publish the content of its folder instead.`
    : `Rename ${found} to index.html.`;
  return { file: 'index.html', message: `${problem} ${remedy}` };
}
