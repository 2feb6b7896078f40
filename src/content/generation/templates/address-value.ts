import type { AttributeUse } from './attribute-use.js';
import type { Piece } from './pieces.js';

const LINKS = new Set(['http:', 'https:', 'mailto:', 'tel:']);

/** What a browser shows and nothing else: SVG may hold scripts and addresses of its own. */
const IMAGE = /^data:image\/(?:png|jpeg|webp|gif|avif);base64,[A-Za-z0-9+/]+={0,2}$/;

/** Where relative addresses are looked at from; no value can name it by chance. */
const HERE = 'https://here.invalid/';

/** Why a value may not stand as an address of its use; null where it may. */
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

/** Browsers drop some of these from an address before they read it, so that `java\nscript:` is one to them. */
function hasOddCharacters(value: string): boolean {
  for (const character of value) if (character <= ' ' || character === '\\' || character === '\u007f') return true;
  return false;
}

/** Text before a placeholder that settles what kind of address it is, and on which host: nothing after it changes that. */
const SETTLED = /^(?:https?:\/\/[a-z0-9.-]+(?::\d+)?\/|mailto:|tel:|#|\?|\/(?![/\\])|[a-z0-9_-]+\/)/i;

/** Why pieces that are more than one placeholder may not stand as an address; null where they may. */
export function mixedAddressFault(pieces: readonly Piece[], use: Exclude<AttributeUse, 'text'>): string | null {
  const [first] = pieces;
  if (typeof first !== 'string' || !SETTLED.test(first))
    return 'must be a single placeholder, or start with a fixed scheme and host, such as mailto: or https://host/';
  return use === 'media' && first.includes(':') ? 'must not load anything from another host' : null;
}

/** A value that stands in the middle of an address. */
export function addressPart(value: string, before: string): string {
  if (/^tel:/i.test(before)) return encodeURIComponent(value.replace(/\s/g, '')).replaceAll('%2B', '+');
  return encodeURIComponent(value).replaceAll('%40', '@');
}
