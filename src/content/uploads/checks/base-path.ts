import { nfc } from '../../../kernel/nfc.js';
import type { ManifestFile } from '../../../storage/blobs/manifest.js';

/** Matches root-relative URLs of files. Does not match pages, because they can be redirected. */
const ADDRESS = /\s(?:src|href)\s*=\s*["']?(\/(?![/\s])[^"'\s>?#]{1,500}\.(?!html?\b)[a-z\d]{1,8})(?=["'\s>?#])/gi;

/** Relative addresses of files in a folder below that of the page. */
const IN_FOLDER =
  /\s(?:src|href)\s*=\s*["']?(?:\.\/)?((?!\.\.?\/)[^"'\s>?#:/]{1,100}\/[^"'\s>?#:]{1,400}\.(?!html?\b)[a-z\d]{1,8})(?=["'\s>?#])/gi;

const MAX_CHARACTERS = 1_024;
const MAX_PAGES = 50;
const MAX_ADDRESSES = 200;
const MAX_SEGMENTS = 3;

/** Build tool settings for a site’s base path. */
const SETTINGS =
  '`base` (Vite, Astro, VitePress), `basePath` and `assetPrefix` (Next.js), `baseUrl` (Docusaurus), `baseURL` (Hugo), `baseurl` (Jekyll), `homepage` (Create React App), `publicPath` (webpack, Vue CLI), `paths.base` (SvelteKit), `pathPrefix` (Eleventy, Gatsby)';

export type BasePathWarning = { readonly file: string; readonly line: number; readonly message: string };

type Found = { readonly page: string; readonly line: number; readonly address: string };

/** Collects the file URLs in a deploy’s pages, to compare them with the deploy’s files. */
export class FileAddresses {
  readonly #found: Found[] = [];
  /** Relative addresses of pages at the top level, with a slash before them. */
  readonly #inFolders: Found[] = [];
  #pages = 0;

  see(page: string, bytes: Buffer): void {
    if (this.#pages === MAX_PAGES || !/\.html?$/i.test(page)) return;
    this.#pages++;
    const text = bytes.toString('latin1');
    const collect = (pattern: RegExp, prefix: string, list: Found[]) => {
      for (const { 1: address = '', index } of text.matchAll(pattern)) {
        if (list.length === MAX_ADDRESSES) return;
        list.push({ page, line: text.slice(0, index + 1).split('\n').length, address: `${prefix}${address}` });
      }
    };
    collect(ADDRESS, '', this.#found);
    if (!page.includes('/')) collect(IN_FOLDER, '/', this.#inFolders);
  }

  /**
   * Returns a warning if no file of the deploy is in a folder, but a page refers to one of them by a path with a folder.
   * In a form, most clients send only the last segment of a file’s path.
   */
  findMissingFolders(files: readonly ManifestFile[]): BasePathWarning | null {
    if (files.some(({ path }) => path.includes('/'))) return null;
    const paths = new Set(files.map(({ path }) => path));
    for (const { page, line, address } of [...this.#inFolders, ...this.#found]) {
      const path = pathOf(address);
      const name = path.slice(path.lastIndexOf('/') + 1);
      if (path === name || !paths.has(name)) continue;
      return {
        file: page,
        line,
        message: `The page refers to ${path}, but the form only has ${name}, without a folder. Send the path as the filename: curl -F "files=@${path};filename=${path}", or form.append("files", file, "${path}").`,
      };
    }
    return null;
  }

  /**
   * Returns a warning if a page refers to a missing file that the deploy has without the first segments of the path:
   * the site was built for that base path. `renamed` returns the current path of a page.
   */
  findBasePath(
    files: readonly ManifestFile[],
    renamed: (path: string) => string = (path) => path,
  ): BasePathWarning | null {
    if (this.#found.length === 0) return null;
    const paths = new Set(files.map(({ path }) => path));
    for (const { page, line, address } of this.#found) {
      const path = pathOf(address);
      if (paths.has(path)) continue;
      const segments = path.split('/');
      for (let count = 1; count <= Math.min(MAX_SEGMENTS, segments.length - 1); count++) {
        const rest = segments.slice(count).join('/');
        if (!paths.has(rest)) continue;
        const base = `/${segments.slice(0, count).join('/')}/`;
        return {
          file: renamed(page),
          line,
          message: `The page refers to ${address}, which is not in the deploy, but ${rest} is. The site was built for the path ${base}; here it is served at /. Change the base path in the build settings to /: ${SETTINGS}.`,
        };
      }
    }
    return null;
  }
}

/** Returns the path of a URL, or an empty string, which is no file’s path, if the URL is invalid. */
function pathOf(address: string): string {
  try {
    return nfc(decodeURIComponent(Buffer.from(address, 'latin1').toString('utf8')).slice(1), MAX_CHARACTERS) ?? '';
  } catch {
    return '';
  }
}
