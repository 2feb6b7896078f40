import { nfc } from '../../../kernel/nfc.js';
import type { ManifestFile } from '../../../storage/blobs/manifest.js';

/** Addresses of files, from the root of the host. Those of pages can be redirected. */
const ADDRESS = /\s(?:src|href)\s*=\s*["']?(\/(?![/\s])[^"'\s>?#]{1,500}\.(?!html?\b)[a-z\d]{1,8})(?=["'\s>?#])/gi;

/** The path that relative addresses begin with, if the page sets one. */
const BASE = /<base\s[^>]{0,200}href\s{0,20}=\s{0,20}["']?(\/(?![/\s])[^"'\s>]{0,200}\/)(?=["'\s>])/i;

/** Relative addresses of files. */
const RELATIVE =
  /\s(?:src|href)\s*=\s*["']?(?:\.\/)?([\w~-][^"'\s>?#:]{0,500}\.(?!html?\b)[a-z\d]{1,8})(?=["'\s>?#])/gi;

const MAX_CHARACTERS = 1_024;
const MAX_PAGES = 50;
const MAX_ADDRESSES = 200;
/** A path such as `/user/repo/` has two segments. */
const MAX_SEGMENTS = 3;

/** Settings of build tools that contain the path at which a site is served. */
const SETTINGS =
  '`base` (Vite, Astro, VitePress), `basePath` and `assetPrefix` (Next.js), `baseUrl` (Docusaurus), `baseURL` (Hugo), `baseurl` (Jekyll), `homepage` (Create React App), `publicPath` (webpack, Vue CLI), `paths.base` (SvelteKit), `pathPrefix` (Eleventy, Gatsby), `baseHref` (Angular)';

/** A warning about a page of the deploy. Lines start at 1. */
export type BasePathWarning = { readonly file: string; readonly line: number; readonly message: string };

type Found = { readonly page: string; readonly line: number; readonly address: string };

/** `rest` is the path of the file that the address is about, and `base` the path that the site was built for. */
type FoundBase = Found & { readonly rest: string; readonly base: string };

/** The addresses in the pages of a deploy, to be compared with its files. */
export class FileAddresses {
  readonly #found: Found[] = [];
  #pages = 0;

  /** Collects the addresses of a page. `bytes` is the start of a file. */
  see(page: string, bytes: Buffer): void {
    if (this.#pages === MAX_PAGES || !/\.html?$/i.test(page)) return;
    this.#pages++;
    const text = bytes.toString('latin1');
    const line = (index: number) => text.slice(0, index + 1).split('\n').length;
    for (const { 1: address = '', index } of text.matchAll(ADDRESS)) this.#add({ page, line: line(index), address });
    const base = BASE.exec(text)?.[1];
    if (base === undefined) return;
    for (const { 1: address = '', index } of text.matchAll(RELATIVE))
      this.#add({ page, line: line(index), address: `${base}${address}` });
  }

  #add(found: Found): void {
    if (this.#found.length < MAX_ADDRESSES) this.#found.push(found);
  }

  /**
   * Returns a warning if a page refers to a file under a path at which the deploy does not have it, although it has the
   * file itself: the site was built for that path. `renamed` returns the current path of a page.
   */
  findBasePath(
    files: readonly ManifestFile[],
    renamed: (path: string) => string = (path) => path,
  ): BasePathWarning | null {
    if (this.#found.length === 0) return null;
    const found = this.findBase(new Set(files.map(({ path }) => path)));
    if (found === null) return null;
    const { page, line, address, rest, base } = found;
    return {
      file: renamed(page),
      line,
      message: `The page refers to ${address}, which is not in the deploy, but ${rest} is. The site was built for the path ${base}. To serve it at /, change the path in the settings of the build to /: ${SETTINGS}.`,
    };
  }

  /** Returns the first address whose file is among the paths only without the beginning of the address. */
  findBase(paths: ReadonlySet<string>): FoundBase | null {
    for (const found of this.#found) {
      const path = pathOf(found.address);
      if (paths.has(path)) continue;
      const segments = path.split('/');
      for (let count = 1; count <= Math.min(MAX_SEGMENTS, segments.length - 1); count++) {
        const rest = segments.slice(count).join('/');
        if (paths.has(rest)) return { ...found, rest, base: `/${segments.slice(0, count).join('/')}/` };
      }
    }
    return null;
  }
}

/** Returns the path of the file; one that no file has if the address is not valid. */
function pathOf(address: string): string {
  try {
    return nfc(decodeURIComponent(Buffer.from(address, 'latin1').toString('utf8')).slice(1), MAX_CHARACTERS) ?? '';
  } catch {
    return '';
  }
}
