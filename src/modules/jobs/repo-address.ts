import { refuseInvalid } from '../../kernel/faults/schema-faults.js';

export type RequestedRepo = {
  readonly url: string;
  readonly ref?: string | undefined;
  readonly rootDirectory?: string | undefined;
};

/** A page on a Git host. `url` is the repository’s URL, and `rest` is the ref with the path. */
type Page = { readonly url: string; readonly rest: string; readonly isFile: boolean };

/** URLs of folder and file pages, which end with the ref and the path. */
const PAGES: readonly RegExp[] = [
  // URL format used by GitLab, where groups can be nested.
  /^(?<repo>https?:\/\/[^/]+\/.+?)\/-\/(?<page>tree|blob|raw|commits?)\/(?<rest>.+)$/i,
  // URL format used by Gitea, Forgejo and Codeberg.
  /^(?<repo>https?:\/\/[^/]+\/[^/]+\/[^/]+)\/(?<page>src|raw|media)\/(?:branch|tag|commit)\/(?<rest>.+)$/i,
  // URL format used by GitHub, GitHub Enterprise and older versions of GitLab.
  /^(?<repo>https?:\/\/[^/]+\/[^/]+\/[^/]+)\/(?<page>tree|blob|raw|edit|commits?)\/(?<rest>.+)$/i,
  /^(?<repo>https?:\/\/bitbucket\.org\/[^/]+\/[^/]+)\/(?<page>src|raw|commits)\/(?<rest>.+)$/i,
];

/** SSH URLs: `git@host:path`, and `ssh://git@host/path`. */
const SCP = /^(?:[\w.-]+@)?(?<host>[a-z\d-]+(?:\.[a-z\d-]+)+):(?<path>[^/\d].*)$/i;
const SSH = /^(?:git\+)?(?:ssh|git):\/\/(?:[\w.-]+@)?(?<host>[^/:@]+)(?::\d+)?\/(?<path>.+)$/i;
/** Matches a repository URL without a scheme, such as `host/owner/name`. */
const BARE = /^[a-z\d-]+(?:\.[a-z\d-]+)+\/[^/\s]+\/\S+$/i;

/**
 * Converts the URL of a folder or file page, an SSH URL, a URL without `https://`, or a URL with a ref after `#` (as in
 * npm and pip) to the URL that git needs. Returns other texts unchanged; they are checked later. Refuses a URL that
 * contradicts `ref` or `rootDirectory`. `refField` is the request’s name for `ref`.
 */
export function parseRepoAddress<Request extends RequestedRepo>(
  request: Request,
  refField: 'ref' | 'branch' = 'ref',
): Request {
  const text = httpsOf(request.url.trim());
  const page = pageOf(text);
  if (page === null) {
    const { url, fragment } = splitFragment(text);
    return { ...request, url, ...(fragment !== null && { ref: agreed(refField, request.ref, fragment) }) };
  }
  const { branch, path } = splitRest(page.rest, request.ref);
  const folder = page.isFile ? parentOf(path) : path;
  const rootDirectory = folder === '' ? request.rootDirectory : agreed('rootDirectory', request.rootDirectory, folder);
  return {
    ...request,
    url: page.url,
    ref: agreed(refField, request.ref, branch),
    ...(rootDirectory !== undefined && { rootDirectory }),
  };
}

function httpsOf(text: string): string {
  const { host, path } = (SSH.exec(text) ?? SCP.exec(text))?.groups ?? {};
  if (host !== undefined && path !== undefined) return `https://${host}/${path}`;
  if (text.startsWith('git+https://')) return text.slice('git+'.length);
  return BARE.test(text) ? `https://${text}` : text;
}

/** GitHub’s own URLs can end with `?tab=readme-ov-file#readme`, which selects a section of the page. */
const TAB = /\?tab=[\w-]*(?:#[\w-]*)?$/;

function splitFragment(text: string): { url: string; fragment: string | null } {
  const url = text.replace(TAB, '');
  const at = url.indexOf('#');
  if (at < 0 || at === url.length - 1) return { url, fragment: null };
  return { url: url.slice(0, at), fragment: decoded(url.slice(at + 1)) };
}

function pageOf(text: string): Page | null {
  for (const form of PAGES) {
    const { repo, page = '', rest = '' } = form.exec(text)?.groups ?? {};
    if (repo === undefined) continue;
    // Ignore the query and the fragment of a page's URL, such as a line number.
    const path = decoded((rest.split(/[?#]/, 1)[0] ?? '').replace(/(?<!\/)\/+$/, ''));
    return { url: repo, rest: path, isFile: ['blob', 'raw', 'media', 'edit'].includes(page.toLowerCase()) };
  }
  return null;
}

/**
 * A branch name can contain slashes. If the request contains `ref`, it shows where the branch name ends and the path
 * begins.
 */
function splitRest(rest: string, ref: string | undefined): { branch: string; path: string } {
  if (ref !== undefined && (rest === ref || rest.startsWith(`${ref}/`)))
    return { branch: ref, path: rest.slice(ref.length + 1) };
  const [branch = '', ...path] = rest.split('/');
  return { branch, path: path.join('/') };
}

const parentOf = (path: string) => path.split('/').slice(0, -1).join('/');

function agreed(path: 'ref' | 'branch' | 'rootDirectory', asked: string | undefined, found: string): string {
  if (asked === undefined || asked.replace(/(?<!\/)\/+$/, '') === found) return found;
  return refuseInvalid({
    path,
    message: `is “${asked.slice(0, 100)}”, but \`url\` contains “${found.slice(0, 100)}”. Remove that part from \`url\``,
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
