import { encodedPath, fillLocation, fillPagePath } from '../../../content/sitefiles/destination.js';
import { isEndless, StepBudget } from '../../../content/sitefiles/endless-redirect.js';
import { lookUpPage, mergeSlashes } from '../../../content/sitefiles/look-up-page.js';
import { isExact } from '../../../content/sitefiles/path-pattern.js';
import { RequestPath } from '../../../content/sitefiles/request-path.js';
import { contentType } from '../../../edge/http/api/content-type.js';
import { nfc } from '../../../kernel/nfc.js';
import type { Manifest, ManifestFile } from '../../../storage/blobs/manifest.js';
import { seemsNamedByContent } from '../content/immutable-names.js';
import { type FindResult, findFile } from '../responses/find-file.js';
import { hasFolder } from '../responses/folder-names.js';
import type { SiteRules } from './site-rules.js';

export type RuleRequest = {
  /** Requested path, decoded and in NFC, relative to the site, without a leading slash. */
  readonly path: string;
  /** Query of the URL including its question mark, or an empty string. */
  readonly query: string;
  /** Part of the URL path before the path on the site, including the slash, such as `/` or `/s/docs/`. */
  readonly prefix: string;
  /** Whether the `accept` header indicates that a browser is requesting a page. */
  readonly isNavigation?: boolean;
};

/** Features of a site besides serving its files (docs/interface/sites.md, "Capabilities"). */
export type Capabilities = {
  /** Whether missing pages show `/index.html`, whose script handles the path. */
  readonly spa: boolean;
  /** Whether folders without an index show a list of their contents. */
  readonly listing: boolean;
};

export type RuleContext = { readonly manifest: Manifest; readonly rules: SiteRules };

const NO_CAPABILITIES: Capabilities = { spa: false, listing: false };

/** Maximum length of a path in UTF-16 code units. No file has a longer path. */
const MAX_PATH_LENGTH = 2_048;
const NOTHING: FindResult = { kind: 'nothing' };

/**
 * Maximum number of endless redirects that are skipped for a request before the search for a rule stops. Reasonable
 * sites have far fewer.
 */
const MAX_SKIPPED_REDIRECTS = 8;

/** Maximum number of redirects to follow in advance for a request, to detect endless redirects. */
const MAX_STEPS = 12;

export type RuleOutcome =
  | {
      readonly kind: 'file';
      readonly status: 200 | 404 | 410;
      readonly file: ManifestFile;
      /** True if the `accept` header affected which file was chosen. */
      readonly isByAccept?: true;
    }
  | { readonly kind: 'redirect'; readonly status: 301 | 302 | 303 | 307 | 308; readonly location: string }
  /**
   * `path` leads to a folder that is not empty. It ends with a slash, or is an empty string for the root of the site.
   */
  | { readonly kind: 'listing'; readonly path: string }
  | { readonly kind: 'nothing'; readonly status: 404 | 410 };

/**
 * Decides what a URL of a site shows (docs/interface/serving.md, "Which file is shown"). Selects, in this order, an
 * existing file (unless a redirect is forced), the first matching redirect, the file at the path with repeated slashes
 * merged, the site's fallback for missing pages, and `404.html`. Follows only one redirect, as Netlify and Cloudflare
 * Pages do.
 */
export function resolve(site: RuleContext, request: RuleRequest): Exclude<RuleOutcome, { kind: 'listing' }>;
export function resolve(site: RuleContext, request: RuleRequest, capabilities: Capabilities): RuleOutcome;
export function resolve(
  { manifest, rules }: RuleContext,
  request: RuleRequest,
  capabilities = NO_CAPABILITIES,
): RuleOutcome {
  const existing = existingAt(manifest, request, capabilities);
  if (existing && !rules.redirects.anyForced) return existing;
  const redirect = redirected(manifest, rules, request, existing, capabilities);
  return redirect ?? existing ?? merged(manifest, request, capabilities) ?? missing(manifest, request, capabilities);
}

function existingAt(
  manifest: Manifest,
  { path, query, prefix }: RuleRequest,
  capabilities: Capabilities,
): RuleOutcome | null {
  const found = findFile(manifest, path);
  // The listing of `docs/` is shown even if there is a page `docs.html`.
  if (found.kind === 'moved' && capabilities.listing && path.endsWith('/') && hasFolder(manifest, path)) return null;
  switch (found.kind) {
    case 'file':
      return found.status === 200 ? found : null;
    case 'moved':
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
  { spa }: Capabilities,
): RuleOutcome | null {
  const { path, query, prefix } = request;
  const here = `${prefix}${encodedPath(path)}${query}`;
  // Don't show a page instead of a script or style sheet of an earlier deploy, because this would cause errors that are
  // hard to find.
  const isOldAsset = !existing && seemsNamedByContent(path, contentType(path));
  let ledBack = 0;
  const site = { redirects: rules.redirects, lookUp: (at: string) => lookUpPage((one) => manifest.files.has(one), at) };
  const budget = new StepBudget(MAX_STEPS);
  for (const match of rules.redirects.matching(new RequestPath(path), query)) {
    const { redirect, captures } = match;
    const { does, to, forced } = redirect;
    if (isOldAsset && !forced && !isExact(redirect.from)) continue;
    if (does.kind === 'send') {
      const location = fillLocation(to, captures, prefix, redirect.query.length === 0 ? query : '');
      if (location.split('#', 1)[0] !== here && existing && !forced) return existing;
      // Skip endless redirects. Netlify and Cloudflare Pages also ignore a rule that redirects to the same URL.
      if (location.split('#', 1)[0] === here || isEndless(site, { path, query }, match, budget)) {
        if (++ledBack === MAX_SKIPPED_REDIRECTS) return null;
        continue;
      }
      return { kind: 'redirect', status: does.status, location };
    }
    if (existing && !forced) return existing;
    const rewritten = fillPagePath(to, captures);
    const shown = showFile(manifest, rewritten, does.status);
    return shown ?? missing(manifest, { ...request, path: rewritten }, { spa, listing: false });
  }
  return null;
}

/**
 * Redirects from a path with repeated slashes to the same path with single slashes, if that path leads to a file.
 * Redirects of the site take precedence, because a path can contain a URL on purpose (`/go/https://example.org/`).
 */
function merged(manifest: Manifest, request: RuleRequest, capabilities: Capabilities): RuleOutcome | null {
  const path = mergeSlashes(request.path);
  const existing = path === null ? null : existingAt(manifest, { ...request, path }, capabilities);
  if (path === null || existing?.kind !== 'file') return existing;
  return { kind: 'redirect', status: 308, location: `${request.prefix}${encodedPath(path)}${request.query}` };
}

/** Returns the file at a path that a rule has produced, or null if a rule with status 200 leads to a missing file. */
function showFile(manifest: Manifest, rewritten: string, status: 200 | 404 | 410): RuleOutcome | null {
  // A path joined from several parts may have to be normalized again.
  const path = nfc(rewritten, MAX_PATH_LENGTH);
  const found = path === null ? NOTHING : findFile(manifest, path);
  const there = found.kind === 'moved' ? findFile(manifest, found.path) : found;
  if (there.kind === 'file' && there.status === 200) return { kind: 'file', status, file: there.file };
  if (status === 200) return null;
  return status === 410 ? { kind: 'nothing', status } : notFound(manifest);
}

function missing(
  manifest: Manifest,
  { path, isNavigation = false }: RuleRequest,
  { spa, listing }: Capabilities,
): RuleOutcome {
  if (listing && (path === '' || path.endsWith('/')) && hasFolder(manifest, path)) return { kind: 'listing', path };
  const page = spa ? manifest.files.get('index.html') : undefined;
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (!page || !canBePage(path, name)) return notFound(manifest);
  if (!name.includes('.')) return { kind: 'file', status: 200, file: page };
  // A name with a dot can be an email address, a version or a missing file. Only a browser that opens a page gets the
  // fallback page.
  if (isNavigation) return { kind: 'file', status: 200, file: page, isByAccept: true };
  return notFound(manifest);
}

/**
 * Matches extensions and types of files that pages load or visitors download. A page is never shown in place of these
 * files.
 */
const LOADED = /^\.|\.(?:m?js|cjs|css|map|json|webmanifest|xml|txt|csv|wasm|pdf|zip|gz|br|ico)$/i;
const MEDIA = /^(?:image|audio|video|font)\//;

const canBePage = (path: string, name: string) => !LOADED.test(name) && !MEDIA.test(contentType(path));

function notFound({ files }: Manifest): RuleOutcome {
  const file = files.get('404.html');
  return file ? { kind: 'file', status: 404, file } : { kind: 'nothing', status: 404 };
}
