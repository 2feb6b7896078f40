import type { AttributeUse } from './attribute-use.js';
import type { Piece } from './pieces.js';

const LINKS = new Set(['http:', 'https:', 'mailto:', 'tel:']);

/** Formats of images that cannot run scripts. SVG is excluded because it can contain scripts and URLs. */
const IMAGE = /^data:image\/(?:png|jpeg|webp|gif|avif);base64,[A-Za-z0-9+/]+={0,2}$/;

/** Base for resolving relative URLs. No value refers to this host by chance. */
const HERE = 'https://here.invalid/';

/** Returns why a value is not allowed as the URL of a link or of a loaded resource, or null if it is allowed. */
export function addressFault(value: string, use: Exclude<AttributeUse, 'text'>): string | null {
  if (use === 'media') {
    if (IMAGE.test(value)) return null;
    const isRelative = !hasOddCharacters(value) && URL.parse(value, HERE)?.href.startsWith(HERE) === true;
    return isRelative && !value.toLowerCase().startsWith(HERE)
      ? null
      : 'must be a path in the site, or an image as data:image/png;base64,… (png, jpeg, webp, gif or avif)';
  }
  const url = hasOddCharacters(value) ? null : URL.parse(value, HERE);
  return url && LINKS.has(url.protocol)
    ? null
    : 'must be an http:, https:, mailto: or tel: URL, or a path in the site, without spaces';
}

/**
 * Reports whether a URL contains characters that browsers drop or replace when they parse URLs. For example,
 * `java\nscript:` would run as a script.
 */
function hasOddCharacters(value: string): boolean {
  for (const character of value) if (character <= ' ' || character === '\\' || character === '\u007f') return true;
  return false;
}

/**
 * Matches the start of a URL if it determines the scheme and host, so that a value inserted after it cannot change
 * them.
 */
const SETTLED = /^(?:https?:\/\/[a-z0-9.-]+(?::\d+)?\/|mailto:|tel:|#|\?|\/(?![/\\])|[a-z0-9_-]+\/)/i;

/**
 * Returns why a URL cannot be composed of these pieces, or null if it can. A URL that is a single placeholder is
 * checked by `addressFault` instead.
 */
export function mixedAddressFault(pieces: readonly Piece[], use: Exclude<AttributeUse, 'text'>): string | null {
  const [first] = pieces;
  if (typeof first !== 'string' || !SETTLED.test(first))
    return 'must be a single placeholder, or start with a fixed scheme and host, such as mailto: or https://host/';
  return use === 'media' && first.includes(':') ? 'must not load anything from another host' : null;
}

export function addressPart(value: string, before: string): string {
  if (/^tel:/i.test(before)) return encodeURIComponent(value.replace(/\s/g, '')).replaceAll('%2B', '+');
  return encodeURIComponent(value).replaceAll('%40', '@');
}
