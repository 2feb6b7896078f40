import { encodedPath, fillLocation, fillPagePath } from '../../../content/sitefiles/destination.js';
import { RequestPath } from '../../../content/sitefiles/request-path.js';
import { nfc } from '../../../kernel/nfc.js';
import type { Manifest, ManifestFile } from '../../../storage/blobs/manifest.js';
import { type FindResult, findFile } from '../responses/find-file.js';
import { hasFolder } from '../responses/folder-names.js';
import type { SiteRules } from './site-rules.js';

export type RuleRequest = {
  /** Decoded path in NFC, relative to the site, without a leading slash. */
  readonly path: string;
  /** Query including its question mark, or an empty string. */
  readonly query: string;
  /** Part of the URL path before the path on the site, including the slash. */
  readonly prefix: string;
};

/** Features of a site besides serving its files (docs/interface/sites.md, "Capabilities"). */
export type Capabilities = {
  /** Missing pages show `/index.html`, whose script handles the path. */
  readonly spa: boolean;
  /** Folders without an index show a list of their contents. */
  readonly listing: boolean;
};

export type RuleContext = { readonly manifest: Manifest; readonly rules: SiteRules };

const NO_CAPABILITIES: Capabilities = { spa: false, listing: false };

/** Maximum length in UTF-16 code units. No file has a longer path. */
const PATH_UP_TO = 2_048;
const NOTHING: FindResult = { kind: 'nothing' };

/** Matching stops after this many redirects to the requested URL itself. No sensible site has as many. */
const LED_BACK_UP_TO = 8;

export type RuleOutcome =
  | { readonly kind: 'file'; readonly status: 200 | 404 | 410; readonly file: ManifestFile }
  | { readonly kind: 'redirect'; readonly status: 301 | 302 | 303 | 307 | 308; readonly location: string }
  /** Path of a folder that is not empty, with a trailing slash; empty for the site itself. */
  | { readonly kind: 'listing'; readonly path: string }
  | { readonly kind: 'nothing'; readonly status: 404 | 410 };

/**
 * Implements docs/interface/serving.md, "Which file is shown". Selects, in this order, an existing file (unless a
 * redirect is forced), the first matching redirect, the site's fallback for missing pages, and `404.html`. Follows only
 * one redirect, as Netlify and Cloudflare Pages do.
 */
export function resolve(site: RuleContext, request: RuleRequest): Exclude<RuleOutcome, { kind: 'listing' }>;
export function resolve(site: RuleContext, request: RuleRequest, capabilities: Capabilities): RuleOutcome;
export function resolve(
  { manifest, rules }: RuleContext,
  request: RuleRequest,
  capabilities = NO_CAPABILITIES,
): RuleOutcome {
  const existing = existingAt(manifest, request);
  if (existing && !rules.redirects.anyForced) return existing;
  return redirected(manifest, rules, request, existing) ?? existing ?? missing(manifest, request, capabilities);
}

function existingAt(manifest: Manifest, { path, query, prefix }: RuleRequest): RuleOutcome | null {
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
  existing: RuleOutcome | null,
): RuleOutcome | null {
  const { path, query, prefix } = request;
  const here = `${prefix}${encodedPath(path)}${query}`;
  let ledBack = 0;
  for (const { redirect, captures } of rules.redirects.matching(new RequestPath(path), query)) {
    const { does, to, forced } = redirect;
    if (does.kind === 'send') {
      const location = fillLocation(to, captures, prefix, redirect.query.length === 0 ? query : '');
      // The redirect would loop forever. Netlify and Cloudflare Pages ignore such a rule too.
      if (location.split('#', 1)[0] === here) {
        if (++ledBack === LED_BACK_UP_TO) return null;
        continue;
      }
      return existing && !forced ? existing : { kind: 'redirect', status: does.status, location };
    }
    return existing && !forced ? existing : showFile(manifest, fillPagePath(to, captures), does.status);
  }
  return null;
}

/** A path joined from several parts may have to be normalized again. */
function showFile(manifest: Manifest, rewritten: string, status: 200 | 404 | 410): RuleOutcome {
  const path = nfc(rewritten, PATH_UP_TO);
  const found = path === null ? NOTHING : findFile(manifest, path);
  const there = found.kind === 'folder' ? findFile(manifest, found.path) : found;
  if (there.kind === 'file' && there.status === 200) return { kind: 'file', status, file: there.file };
  return status === 410 ? { kind: 'nothing', status } : notFound(manifest);
}

function missing(manifest: Manifest, { path }: RuleRequest, { spa, listing }: Capabilities): RuleOutcome {
  if (listing && (path === '' || path.endsWith('/')) && hasFolder(manifest, path)) return { kind: 'listing', path };
  const page = spa && !path.slice(path.lastIndexOf('/') + 1).includes('.') ? manifest.files.get('index.html') : null;
  return page ? { kind: 'file', status: 200, file: page } : notFound(manifest);
}

function notFound({ files }: Manifest): RuleOutcome {
  const file = files.get('404.html');
  return file ? { kind: 'file', status: 404, file } : { kind: 'nothing', status: 404 };
}
