import { encodedPath, fillLocation, fillPagePath } from '../../../content/sitefiles/destination.js';
import { isEndless, StepBudget } from '../../../content/sitefiles/endless-redirect.js';
import { lookUpPage } from '../../../content/sitefiles/look-up-page.js';
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
  /** Decoded path in NFC, relative to the site, without a leading slash. */
  readonly path: string;
  /** Query including its question mark, or an empty string. */
  readonly query: string;
  /** Part of the URL path before the path on the site, including the slash. */
  readonly prefix: string;
  /** Whether a browser requests a page, according to the `accept` header. */
  readonly isNavigation?: boolean;
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

/** Number of redirects that are followed in advance for one request, to find those that never arrive. */
const STEPS_UP_TO = 12;

export type RuleOutcome =
  | {
      readonly kind: 'file';
      readonly status: 200 | 404 | 410;
      readonly file: ManifestFile;
      /** Whether another `accept` header would lead to another file. */
      readonly isByAccept?: true;
    }
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
  const existing = existingAt(manifest, request, capabilities);
  if (existing && !rules.redirects.anyForced) return existing;
  const redirect = redirected(manifest, rules, request, existing);
  return redirect ?? existing ?? missing(manifest, request, capabilities);
}

function existingAt(
  manifest: Manifest,
  { path, query, prefix }: RuleRequest,
  capabilities: Capabilities,
): RuleOutcome | null {
  const found = findFile(manifest, path);
  // A page of the same name does not hide the list of a folder.
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
): RuleOutcome | null {
  const { path, query, prefix } = request;
  const here = `${prefix}${encodedPath(path)}${query}`;
  // A page in place of a script or style of an earlier deploy would be an error that is hard to find.
  const isOldAsset = !existing && seemsNamedByContent(path, contentType(path));
  let ledBack = 0;
  const site = { redirects: rules.redirects, lookUp: (at: string) => lookUpPage((one) => manifest.files.has(one), at) };
  const budget = new StepBudget(STEPS_UP_TO);
  for (const match of rules.redirects.matching(new RequestPath(path), query)) {
    const { redirect, captures } = match;
    const { does, to, forced } = redirect;
    if (isOldAsset && !forced && !isExact(redirect.from)) continue;
    if (does.kind === 'send') {
      const location = fillLocation(to, captures, prefix, redirect.query.length === 0 ? query : '');
      if (location.split('#', 1)[0] !== here && existing && !forced) return existing;
      // It would never arrive. Netlify and Cloudflare Pages ignore a rule that leads back to the same URL.
      if (location.split('#', 1)[0] === here || isEndless(site, { path, query }, match, budget)) {
        if (++ledBack === LED_BACK_UP_TO) return null;
        continue;
      }
      return { kind: 'redirect', status: does.status, location };
    }
    return existing && !forced ? existing : showFile(manifest, fillPagePath(to, captures), does.status);
  }
  return null;
}

/** A path joined from several parts may have to be normalized again. */
function showFile(manifest: Manifest, rewritten: string, status: 200 | 404 | 410): RuleOutcome {
  const path = nfc(rewritten, PATH_UP_TO);
  const found = path === null ? NOTHING : findFile(manifest, path);
  const there = found.kind === 'moved' ? findFile(manifest, found.path) : found;
  if (there.kind === 'file' && there.status === 200) return { kind: 'file', status, file: there.file };
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
  // A name with a dot can be an address, a version or a file. Only a browser that opens a page gets one.
  if (isNavigation) return { kind: 'file', status: 200, file: page, isByAccept: true };
  return notFound(manifest);
}

/** Endings and types of files that pages load or that visitors download, and that a page does not replace. */
const LOADED = /^\.|\.(?:m?js|cjs|css|map|json|webmanifest|xml|txt|csv|wasm|pdf|zip|gz|br|ico)$/i;
const MEDIA = /^(?:image|audio|video|font)\//;

const canBePage = (path: string, name: string) => !LOADED.test(name) && !MEDIA.test(contentType(path));

function notFound({ files }: Manifest): RuleOutcome {
  const file = files.get('404.html');
  return file ? { kind: 'file', status: 404, file } : { kind: 'nothing', status: 404 };
}
