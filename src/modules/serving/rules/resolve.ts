import { encodedPath, locationOf, pageOf } from '../../../content/sitefiles/destination.js';
import { RequestPath } from '../../../content/sitefiles/request-path.js';
import { nfc } from '../../../kernel/nfc.js';
import type { Manifest, ManifestFile } from '../../../storage/blobs/manifest.js';
import { type FindResult, findFile } from '../answers/find-file.js';
import { hasFolder } from '../answers/folder-names.js';
import type { SiteRules } from './site-rules.js';

/** A request, as rules see it. */
export type RuleRequest = {
  /** Decoded, in NFC, relative to the site, without a leading slash. */
  readonly path: string;
  /** With its question mark, or empty. */
  readonly query: string;
  /** What stands before the path in addresses of this site, with its slash. */
  readonly prefix: string;
};

/** What a site can do besides showing its files (docs/interface/sites.md, "Capabilities"). */
export type Capabilities = {
  /** A page that does not exist is answered with `/index.html`, whose script knows it. */
  readonly spa: boolean;
  /** A folder without an index is answered with a list of what is in it. */
  readonly listing: boolean;
};

export type RuleSite = { readonly manifest: Manifest; readonly rules: SiteRules };

const NO_CAPABILITIES: Capabilities = { spa: false, listing: false };

/** UTF-16 units; no path of a file is longer. */
const PATH_UP_TO = 2_048;
const NOTHING: FindResult = { kind: 'nothing' };

/** So many redirects that lead back to where they came from are skipped; no site means more. */
const LED_BACK_UP_TO = 8;

export type RuleAnswer =
  | { readonly kind: 'file'; readonly status: 200 | 404 | 410; readonly file: ManifestFile }
  | { readonly kind: 'redirect'; readonly status: 301 | 302 | 303 | 307 | 308; readonly location: string }
  /** A folder that has something in it, with a slash at its end; empty for the site itself. */
  | { readonly kind: 'listing'; readonly path: string }
  | { readonly kind: 'nothing'; readonly status: 404 | 410 };

/**
 * As docs/interface/serving.md, "Which file is shown" has it: a file that exists, unless a redirect is forced; else the
 * first redirect that fits; else what the site can do for pages that are not there; else `404.html`. Only one redirect
 * is followed here, as on both hosts.
 */
export function resolve(site: RuleSite, request: RuleRequest): Exclude<RuleAnswer, { kind: 'listing' }>;
export function resolve(site: RuleSite, request: RuleRequest, capabilities: Capabilities): RuleAnswer;
export function resolve(
  { manifest, rules }: RuleSite,
  request: RuleRequest,
  capabilities = NO_CAPABILITIES,
): RuleAnswer {
  const existing = existingAt(manifest, request);
  if (existing && !rules.redirects.anyForced) return existing;
  return redirected(manifest, rules, request, existing) ?? existing ?? missing(manifest, request, capabilities);
}

function existingAt(manifest: Manifest, { path, query, prefix }: RuleRequest): RuleAnswer | null {
  const found = findFile(manifest, path);
  switch (found.kind) {
    case 'file':
      return found.status === 200 ? found : null;
    case 'folder':
      return { kind: 'redirect', status: 308, location: `${prefix}${encodedPath(found.path)}${query}` };
    case 'nothing':
      return null;
  }
}

function redirected(
  manifest: Manifest,
  rules: SiteRules,
  request: RuleRequest,
  existing: RuleAnswer | null,
): RuleAnswer | null {
  const { path, query, prefix } = request;
  const here = `${prefix}${encodedPath(path)}${query}`;
  let ledBack = 0;
  for (const { redirect, captures } of rules.redirects.matching(new RequestPath(path), query)) {
    const { does, to, forced } = redirect;
    if (does.kind === 'send') {
      const location = locationOf(to, captures, prefix, redirect.query.length === 0 ? query : '');
      // It would lead here again and again. Netlify and Cloudflare Pages ignore such a rule.
      if (location.split('#', 1)[0] === here) {
        if (++ledBack === LED_BACK_UP_TO) return null;
        continue;
      }
      return existing && !forced ? existing : { kind: 'redirect', status: does.status, location };
    }
    return existing && !forced ? existing : showFile(manifest, pageOf(to, captures), does.status);
  }
  return null;
}

/** Another page under this address, as a rewrite shows it. What it is put together from may join to other letters. */
function showFile(manifest: Manifest, rewritten: string, status: 200 | 404 | 410): RuleAnswer {
  const path = nfc(rewritten, PATH_UP_TO);
  const found = path === null ? NOTHING : findFile(manifest, path);
  const there = found.kind === 'folder' ? findFile(manifest, found.path) : found;
  if (there.kind === 'file' && there.status === 200) return { kind: 'file', status, file: there.file };
  return status === 410 ? { kind: 'nothing', status } : notFound(manifest);
}

function missing(manifest: Manifest, { path }: RuleRequest, { spa, listing }: Capabilities): RuleAnswer {
  if (listing && (path === '' || path.endsWith('/')) && hasFolder(manifest, path)) return { kind: 'listing', path };
  const page = spa && !path.slice(path.lastIndexOf('/') + 1).includes('.') ? manifest.files.get('index.html') : null;
  return page ? { kind: 'file', status: 200, file: page } : notFound(manifest);
}

function notFound({ files }: Manifest): RuleAnswer {
  const file = files.get('404.html');
  return file ? { kind: 'file', status: 404, file } : { kind: 'nothing', status: 404 };
}
