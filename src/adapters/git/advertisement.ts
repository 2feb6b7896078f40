import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { refuse } from '../../kernel/refusal.js';
import type { HostLookup } from '../network/public-address.js';
import { checkedAddresses } from './checked-host.js';
import { type RepoUrl, repoUrl } from './repo-url.js';

/** The refs that a server advertises before a clone (gitprotocol-http, "Smart Clients"). */
export type Advertisement = {
  readonly url: RepoUrl;
  /** The only addresses of the server to which connections are allowed. */
  readonly addresses: readonly string[];
  /** Object IDs by ref name. Null if there were too many refs to read. */
  readonly refs: ReadonlyMap<string, string> | null;
  /** The full name of the default branch, or null if unknown. */
  readonly head: string | null;
};

const QUERY = '/info/refs?service=git-upload-pack';
const TYPE = 'application/x-git-upload-pack-advertisement';
const REDIRECTS = 3;
const MAX_BYTES = 8 * 1024 * 1024;
const PATIENCE_MS = 20_000;

/**
 * Requests the refs of a repository, and determines its final URL. Follows and checks redirects itself, so that git
 * does not have to follow any. Throws `repo_not_allowed` or `repo_unreachable`.
 */
export async function parseAdvertisement(
  text: string,
  listed: ReadonlySet<string>,
  lookup: HostLookup,
  signal: AbortSignal,
): Promise<Advertisement> {
  const ended = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
  let url = repoUrl(text, listed);
  for (let hops = 0; ; hops++) {
    const addresses = await checkedAddresses(url, lookup, signal);
    const answer = await requestRefs(url, addresses, ended, signal);
    const { statusCode = 0, headers } = answer;
    if (statusCode === 200 && headers['content-type'] === TYPE) return read(answer, url, addresses, signal);

    answer.destroy();
    if (statusCode < 300 || statusCode > 399 || hops === REDIRECTS) return unreachable(statusCode);
    url = repoUrl(target(headers.location ?? '', url), listed);
  }
}

function requestRefs(url: RepoUrl, addresses: readonly string[], ended: AbortSignal, signal: AbortSignal) {
  const send = url.secure ? secureRequest : plainRequest;
  return new Promise<IncomingMessage>((resolve, reject) => {
    const sent = send(`${url.href}${QUERY}`, {
      lookup: pinnedTo(addresses),
      agent: false,
      headers: { 'user-agent': 'git/2.39 (Stele)', accept: '*/*', 'accept-encoding': 'identity' },
      maxHeaderSize: 16_384,
      signal: ended,
    });
    sent.once('response', resolve).once('error', reject).end();
  }).catch(() => {
    signal.throwIfAborted();
    return refuse('repo_unreachable', `${url.host} did not respond.`);
  });
}

/** Returns a replacement for DNS lookup that only returns the checked addresses. */
const pinnedTo =
  (addresses: readonly string[]): LookupFunction =>
  (_host, options, done) => {
    const all = addresses.map((address) => ({ address, family: isIP(address) }));
    const [first] = all;
    if (options.all) done(null, all);
    else done(null, first?.address ?? '', first?.family ?? 4);
  };

function target(location: string, from: RepoUrl): string {
  const url = URL.parse(location, `${from.href}${QUERY}`);
  const href = url?.href ?? '';
  if (!href.endsWith(QUERY)) return unreachable(302);
  return href.slice(0, -QUERY.length);
}

function unreachable(status: number): never {
  const why =
    status === 401 || status === 403 || status === 404 || status === 410
      ? 'There is no public repository at this URL.'
      : 'The host did not respond as a Git server would.';
  return refuse('repo_unreachable', why, [{ path: 'url', message: 'must be the URL of a public repository' }]);
}

async function read(
  answer: IncomingMessage,
  url: RepoUrl,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<Advertisement> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of answer) {
      size += piece.length;
      if (size > MAX_BYTES) return { url, addresses, refs: null, head: null };
      pieces.push(piece);
    }
  } catch {
    signal.throwIfAborted();
    return refuse('repo_unreachable', `${url.host} closed the connection early.`);
  }
  return { url, addresses, ...parseRefs(Buffer.concat(pieces)) };
}

/** Parses lines `{oid} {name}`. The first has capabilities after a NUL (gitprotocol-pack, "Reference Discovery"). */
export function parseRefs(bytes: Buffer): { refs: ReadonlyMap<string, string>; head: string | null } {
  const refs = new Map<string, string>();
  let head: string | null = null;
  for (const line of packetLines(bytes)) {
    const [said = '', abilities = ''] = line.split('\0', 2);
    const [, oid, name] = /^([0-9a-f]{40,64}) (\S+)\s*$/.exec(said) ?? [];
    head ??= /(?:^| )symref=HEAD:(\S+)/.exec(abilities)?.[1] ?? null;
    if (oid !== undefined && name !== undefined && name !== 'capabilities^{}') refs.set(name, oid);
  }
  return { refs, head };
}

function* packetLines(bytes: Buffer): Generator<string> {
  for (let at = 0; at + 4 <= bytes.length; ) {
    const length = Number.parseInt(bytes.toString('latin1', at, at + 4), 16);
    if (Number.isNaN(length)) return;
    if (length >= 4) yield bytes.toString('utf8', at + 4, at + length);
    at += Math.max(length, 4);
  }
}
