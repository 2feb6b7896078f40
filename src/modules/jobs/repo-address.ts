import { refuseInvalid } from '../../kernel/faults/schema-faults.js';

/** The parts of a request that say what to fetch. */
export type RequestedRepo = {
  readonly url: string;
  readonly ref?: string | undefined;
  readonly rootDirectory?: string | undefined;
};

/** A page of a repository: the URL of the repository, and what follows the name of the page. */
type Page = { readonly url: string; readonly rest: string; readonly isFile: boolean };

/** Pages that show a folder or a file, with the ref and the path at the end of their addresses. */
const PAGES: readonly RegExp[] = [
  // GitLab, whose groups can be nested.
  /^(?<repo>https?:\/\/[^/]+\/.+?)\/-\/(?<page>tree|blob|raw|commits?)\/(?<rest>.+)$/i,
  // Gitea, Forgejo and Codeberg.
  /^(?<repo>https?:\/\/[^/]+\/[^/]+\/[^/]+)\/(?<page>src|raw|media)\/(?:branch|tag|commit)\/(?<rest>.+)$/i,
  // GitHub and GitHub Enterprise, and older versions of GitLab.
  /^(?<repo>https?:\/\/[^/]+\/[^/]+\/[^/]+)\/(?<page>tree|blob|raw|edit|commits?)\/(?<rest>.+)$/i,
  // Bitbucket.
  /^(?<repo>https?:\/\/bitbucket\.org\/[^/]+\/[^/]+)\/(?<page>src|raw|commits)\/(?<rest>.+)$/i,
];

/** Addresses of SSH: `git@host:path`, and `ssh://git@host/path`. */
const SCP = /^(?:[\w.-]+@)?(?<host>[a-z\d-]+(?:\.[a-z\d-]+)+):(?<path>[^/\d].*)$/i;
const SSH = /^(?:git\+)?(?:ssh|git):\/\/(?:[\w.-]+@)?(?<host>[^/:@]+)(?::\d+)?\/(?<path>.+)$/i;
/** An address as people write it, without `https://`. */
const BARE = /^[a-z\d-]+(?:\.[a-z\d-]+)+\/[^/\s]+\/\S+$/i;

/**
 * Converts the address of a repository to the URL that git needs. Accepts the page of a folder or file, an SSH address,
 * an address without `https://`, and a ref after `#`, as in npm and pip. Returns any other text unchanged; it is refused
 * when it is checked. Refuses parts that contradict `ref` or `rootDirectory`. `refField` is the name of `ref` in the
 * request.
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

/** GitHub’s own addresses can have `?tab=readme-ov-file#readme`, which names a part of the page. */
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
    // A line number or the like does not matter.
    const path = decoded((rest.split(/[?#]/, 1)[0] ?? '').replace(/(?<!\/)\/+$/, ''));
    return { url: repo, rest: path, isFile: ['blob', 'raw', 'media', 'edit'].includes(page.toLowerCase()) };
  }
  return null;
}

/** The name of a branch can contain slashes. `ref` then says where it ends. */
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
    message: `is “${asked.slice(0, 100)}”, but the address in \`url\` says “${found.slice(0, 100)}”. Send the address of the repository without it`,
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
