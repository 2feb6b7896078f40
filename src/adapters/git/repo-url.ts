import { refuseInvalid } from '../../kernel/faults/schema-faults.js';
import { refuse } from '../../kernel/refusal.js';

/** A valid repository URL, whose host may turn out not to be public. */
export type RepoUrl = {
  /** The normalized URL, for display and storage. */
  readonly href: string;
  readonly secure: boolean;
  /** The host without brackets and without a trailing dot. */
  readonly host: string;
  readonly port: number;
  /** Whether the operator has listed the host. If so, it can have a private address and use plain http. */
  readonly listed: boolean;
};

const MAX_CHARACTERS = 2_048;
const ENCODED_CONTROL = /%(?:[01][0-9a-f]|7f)/i;

/** Throws `invalid_request` or `repo_not_allowed`. `listed` contains the hosts that the operator allows. */
export function repoUrl(text: string, listed: ReadonlySet<string>): RepoUrl {
  const url =
    /^[\x21-\x7e]+$/.test(text) && !/[\\^]/.test(text) && text.length <= MAX_CHARACTERS ? URL.parse(text) : null;
  if (!url) return malformed();
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return not('must start with https://');
  if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/]*@/.test(text))
    return not('must not contain credentials');
  if (/[?#]/.test(text)) return not('must not have a query or a fragment');
  if (ENCODED_CONTROL.test(url.pathname)) return not('must not contain control characters');
  const path = url.pathname.replace(/(?<!\/)\/+$/, '');
  if (path === '') return not('must include a repository path, not only a host');

  const secure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/(?<!\.)\.+$/, '');
  if (host === '') return malformed();
  const port = Number(url.port || (secure ? 443 : 80));
  const isListed = listed.has(`${host}:${port}`);
  if (!secure && !isListed) return not('must start with https://');

  const bracketed = host.includes(':') ? `[${host}]` : host;
  const shownPort = url.port === '' ? '' : `:${port}`;
  return { href: `${url.protocol}//${bracketed}${shownPort}${path}`, secure, host, port, listed: isListed };
}

function malformed(): never {
  return refuseInvalid({ path: 'url', message: 'must be a URL such as https://github.com/owner/name' });
}

function not(message: string): never {
  return refuse('repo_not_allowed', `The repository URL ${message}.`, [{ path: 'url', message }]);
}

/** Accepts a full commit ID, or a branch or tag name that git accepts (git-check-ref-format). */
export function checkRef(ref: string, field: 'ref' | 'branch' = 'ref'): string {
  const isName =
    ref.length <= 255 &&
    ref.isWellFormed() &&
    !/[\p{Control} ~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|\.$|\/$|^[-./@]/u.test(ref);
  if (isName) return ref;

  const wanted = field === 'branch' ? 'the name of a branch' : 'the name of a branch or tag, or a commit ID';
  return refuseInvalid({ path: field, message: `must be ${wanted}` });
}
