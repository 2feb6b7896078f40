import { nfc } from '../../../kernel/nfc.js';
import type { ManifestFile } from '../../../storage/blobs/manifest.js';

/** Matches root-relative URLs of files, but not of pages, because pages can be redirected. */
const ADDRESS = /\s(?:src|href)\s*=\s*["']?(\/(?![/\s])[^"'\s>?#]{1,500}\.(?!html?\b)[a-z\d]{1,8})(?=["'\s>?#])/gi;

/** Matches the base URL of a page if it is a path other than `/`. */
const BASE = /<base\s[^>]{0,200}href\s{0,20}=\s{0,20}["']?(\/(?![/\s])[^"'\s>]{0,200}\/)(?=["'\s>])/i;

/** Matches relative URLs of files at or below the page’s folder, but not of pages. */
const RELATIVE =
  /\s(?:src|href)\s*=\s*["']?(?:\.\/)?((?!\.\.?\/)[^"'\s>?#:/][^"'\s>?#:]{0,500}\.(?!html?\b)[a-z\d]{1,8})(?=["'\s>?#])/gi;

/** Matches scripts and style sheets. A page usually does not work without them. */
const CODE = /\.(?:m?js|css)$/i;

const MAX_CHARACTERS = 1_024;
const MAX_PAGES = 50;
const MAX_ADDRESSES = 200;
const MAX_SEGMENTS = 3;

/** The settings of build tools for a site’s base path. */
const SETTINGS =
  '`base` (Vite, Astro, VitePress), `basePath` and `assetPrefix` (Next.js), `baseUrl` (Docusaurus), `baseURL` (Hugo), `baseurl` (Jekyll), `homepage` (Create React App), `publicPath` (webpack, Vue CLI), `paths.base` (SvelteKit), `pathPrefix` (Eleventy, Gatsby), `baseHref` (Angular)';

export type BasePathWarning = { readonly file: string; readonly line: number; readonly message: string };

type Found = { readonly page: string; readonly line: number; readonly address: string };

/**
 * A URL of a missing file that exists under a shorter path. `rest` is that shorter path, and `base` is the base path
 * that the site was built for.
 */
type FoundBase = Found & { readonly rest: string; readonly base: string };

/** Collects the file URLs in a deploy’s pages, to compare them with the deploy’s files. */
export class FileAddresses {
  readonly #found: Found[] = [];
  /** Relative URLs in pages with a base URL, resolved against that base URL. */
  readonly #based: Found[] = [];
  /** Relative URLs in pages without a base URL. Each is stored with a leading slash. */
  readonly #relative: Found[] = [];
  #pages = 0;

  see(page: string, bytes: Buffer): void {
    if (this.#pages === MAX_PAGES || !/\.html?$/i.test(page)) return;
    this.#pages++;
    const text = bytes.toString('latin1');
    collect(this.#found, ADDRESS, page, text, '');
    const base = BASE.exec(text)?.[1];
    collect(base === undefined ? this.#relative : this.#based, RELATIVE, page, text, base ?? '/');
  }

  /**
   * Returns a warning if no file of the deploy is in a folder, but a page refers to a file in a folder. In forms, most
   * clients send only the last segment of a file’s path.
   */
  findMissingFolders(files: readonly ManifestFile[]): BasePathWarning | null {
    if (files.some(({ path }) => path.includes('/'))) return null;
    const paths = new Set(files.map(({ path }) => path));
    const ofTopLevel = this.#relative.filter(({ page }) => !page.includes('/'));
    for (const { page, line, address } of [...ofTopLevel, ...this.#found]) {
      const path = pathOf(address);
      const name = path.slice(path.lastIndexOf('/') + 1);
      if (path === name || !paths.has(name)) continue;
      return {
        file: page,
        line,
        message: `The page refers to ${path}, but the form contains only ${name}, without a folder. Send the path as the filename: curl -F "files=@${path};filename=${path}", or form.append("files", file, "${path}").`,
      };
    }
    return null;
  }

  /**
   * Returns a warning if a page refers to a missing file, and the deploy contains that file without the first segments
   * of its path. This means that the site was built for another base path. `renamed` returns the current path of a
   * page.
   */
  findBasePath(
    files: readonly ManifestFile[],
    renamed: (path: string) => string = (path) => path,
  ): BasePathWarning | null {
    if (this.#found.length === 0 && this.#based.length === 0) return null;
    const found = this.#findBase(new Set(files.map(({ path }) => path)));
    if (found === null) return null;
    const { page, line, address, rest, base } = found;
    return {
      file: renamed(page),
      line,
      message: `The page refers to ${address}, which is not in the deploy, but ${rest} is. The site was built for the path ${base}. To serve it at /, change the base path in the build settings to /: ${SETTINGS}.`,
    };
  }

  /**
   * Returns the base path that the pages were built for, or null if there is none. All script and style sheet URLs of
   * files in the deploy must be below this base path, and no file of the deploy may be below it. Otherwise, a single
   * wrong URL could look like a base path. The pages must be at the top level.
   */
  findBuiltFor(paths: ReadonlySet<string>): string | null {
    const isAsWritten = ({ address }: Found) => CODE.test(address) && paths.has(pathOf(address));
    const absolute = [...this.#found, ...this.#based];
    if (this.#relative.some(isAsWritten) || absolute.some(isAsWritten)) return null;
    const bases = new Set<string>();
    for (const found of absolute) {
      const base = CODE.test(found.address) ? splitBase(found, paths)?.base : undefined;
      if (base !== undefined) bases.add(base);
    }
    const [base = null] = bases;
    if (base === null || bases.size > 1) return null;
    const folder = base.slice(1);
    for (const path of paths) if (path.startsWith(folder)) return null;
    return base;
  }

  /**
   * Finds the first URL of a missing file that exists under a shorter path, without the first segments of the URL’s
   * path.
   */
  #findBase(paths: ReadonlySet<string>): FoundBase | null {
    for (const found of [...this.#found, ...this.#based]) {
      const split = splitBase(found, paths);
      if (split !== null) return split;
    }
    return null;
  }
}

function collect(found: Found[], pattern: RegExp, page: string, text: string, base: string): void {
  for (const { 1: address = '', index } of text.matchAll(pattern)) {
    if (found.length === MAX_ADDRESSES) return;
    found.push({ page, line: text.slice(0, index + 1).split('\n').length, address: `${base}${address}` });
  }
}

/** Splits the URL of a missing file into a base path and the path of an existing file, or returns null. */
function splitBase(found: Found, paths: ReadonlySet<string>): FoundBase | null {
  const path = pathOf(found.address);
  if (paths.has(path)) return null;
  const segments = path.split('/');
  for (let count = 1; count <= Math.min(MAX_SEGMENTS, segments.length - 1); count++) {
    const rest = segments.slice(count).join('/');
    if (paths.has(rest)) return { ...found, rest, base: `/${segments.slice(0, count).join('/')}/` };
  }
  return null;
}

/** Returns the path of a URL. Returns an empty string, which never is the path of a file, if the URL is invalid. */
function pathOf(address: string): string {
  try {
    return nfc(decodeURIComponent(Buffer.from(address, 'latin1').toString('utf8')).slice(1), MAX_CHARACTERS) ?? '';
  } catch {
    return '';
  }
}
