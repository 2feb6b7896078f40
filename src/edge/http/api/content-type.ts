import { contentType as typeOf } from 'mime-types';

const TEXT = 'text/plain; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Media types for file extensions that the media type database lacks, and for readable files that browsers would
 * otherwise download instead of showing.
 */
const BY_EXTENSION: Readonly<Record<string, string>> = {
  cjs: 'text/javascript; charset=utf-8',
  mobileconfig: 'application/x-apple-aspen-config',
  reality: 'model/vnd.reality',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  tgz: 'application/gzip',
  topojson: JSON_TYPE,
  cur: 'image/vnd.microsoft.icon',
  ...Object.fromEntries(
    'py rs go rb java kt swift c h cc cpp hpp cs sh bash zsh pl lua r jl sql toml ini cfg conf diff patch rst adoc org tex srt lock tsx jsx ps1 psm1 psd1 glsl vert frag wat'
      .split(' ')
      .map((extension) => [extension, TEXT]),
  ),
};

/** Media types of well-known files without an extension. Keys are lower-case names. */
const BY_NAME: Readonly<Record<string, string>> = {
  'apple-app-site-association': JSON_TYPE,
  ...Object.fromEntries(
    'license licence copying notice authors contributors readme changelog changes todo install makefile dockerfile procfile gemfile rakefile cname apple-developer-merchantid-domain-association'
      .split(' ')
      .map((name) => [name, TEXT]),
  ),
};

/** Resources under `/.well-known/` that are JSON according to their specifications. */
const WELL_KNOWN_JSON =
  /^\.well-known\/(?:openid-configuration|oauth-authorization-server|oauth-protected-resource|webfinger|nodeinfo|matrix\/(?:client|server|support))$/;

/**
 * Returns the media type for a file’s name, with `charset=utf-8` for text. It is computed for each request and never
 * stored.
 */
export function contentType(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  if (dot < 0) return own(BY_NAME, name) ?? (WELL_KNOWN_JSON.test(path) ? JSON_TYPE : 'application/octet-stream');
  return own(BY_EXTENSION, name.slice(dot + 1)) ?? (typeOf(name.slice(dot)) || 'application/octet-stream');
}

const own = (types: Readonly<Record<string, string>>, key: string) =>
  Object.hasOwn(types, key.toLowerCase()) ? types[key.toLowerCase()] : undefined;
