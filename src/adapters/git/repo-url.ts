import { refuseInvalid } from '../../kernel/faults/schema-faults.js';
import { refuse } from '../../kernel/refusal.js';

/** An address that may be looked up; whether it leads somewhere public is still to be seen. */
export type RepoUrl = {
  /** As it is given to others: written anew, without what was peculiar in it. */
  readonly href: string;
  readonly secure: boolean;
  /** Without brackets and without a dot at its end. */
  readonly host: string;
  readonly port: number;
  /** The operator vouches for it: it may be private, and plain http. */
  readonly listed: boolean;
};

const LONGEST = 2_048;
/** `%00` to `%1F`, `%7F` */
const ENCODED_CONTROL = /%(?:[01][0-9a-f]|7f)/i;

/**
 * Reads the address of a repository. `listed` are the operator’s `host:port`s. Refuses with `invalid_request` what is
 * no address, and with `repo_not_allowed` what is one of another kind.
 */
export function repoUrl(text: string, listed: ReadonlySet<string>): RepoUrl {
  const url = /^[\x21-\x7e]+$/.test(text) && !/[\\^]/.test(text) && text.length <= LONGEST ? URL.parse(text) : null;
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

/** What git takes as the name of a branch or a tag (git-check-ref-format), or a whole commit id. */
export function checkRef(ref: string, field: 'ref' | 'branch' = 'ref'): string {
  const isName =
    ref.length <= 255 &&
    ref.isWellFormed() &&
    !/[\p{Control} ~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|\.$|\/$|^[-./@]/u.test(ref);
  if (isName) return ref;

  const wanted = field === 'branch' ? 'the name of a branch' : 'the name of a branch or tag, or a commit ID';
  return refuseInvalid({ path: field, message: `must be ${wanted}` });
}
