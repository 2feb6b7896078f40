import { ordinaryBits } from './ordinary-names.js';

const LASTING = /^(?:text\/(?:javascript|css)|font\/|image\/|application\/(?:javascript|wasm|font|vnd\.ms-fontobject))/;

/**
 * Matches folders in which every file that Next.js, SvelteKit, Astro or Nuxt writes has a content hash or build ID in
 * its name.
 */
const OF_A_BUILD = /(?:^|\/)(?:_next\/static\/(?:chunks|css|media)|_app\/immutable|_astro|_nuxt)\//;

/** Matches UUIDs. A UUID in a name is usually an upload ID, which does not depend on the content. */
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

/** Matches suffixes between the hash and the extension. Astro appends a hash of an image’s transformation. */
const AFTER_HASH = /(?:[.-](?:min|chunk|bundle|entry|lean|iframe|async|module|worker|legacy|modern|s|p)|_bg)+$/;
const TRANSFORMED = /(\.[\w-]{8})_[0-9a-z]{4,7}$/i;

/** Matches full or truncated digests in names written by webpack, Next.js, Rails, Phoenix, Hugo and others. */
const LONG_HEX =
  /(?:^|[^0-9a-z]|_hu)(?:[0-9a-f]{16}|[0-9a-f]{20}|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})(?![0-9a-z])/;
/**
 * Matches short hexadecimal hashes: eight digits for Parcel, Create React App, webpack, Rollup 3 and Propshaft; ten and
 * twelve for Rspack and Django.
 */
const SHORT_HEX = /(?:(?:^|[-._])([0-9a-f]{8})|\.([0-9a-f]{10}|[0-9a-f]{12}))$/;
/** Matches hashes of eight characters, as written by Rollup 4, Rolldown, esbuild and tools based on them. */
const EIGHT = /(?:^|[-.])([\w-]{8})$/;

/** Entropy of eight random characters in Base64url, Base36 and Base32. */
const BASE64_BITS = 48;
const BASE36_BITS = 41.4;
const BASE32_BITS = 40;

/**
 * Reports whether a script, style sheet, font, image or wasm file has a content hash in its name, in the format of a
 * known build tool (decision 0156). `ImmutableAssets` checks that the content has never changed.
 */
export function seemsNamedByContent(path: string, type: string): boolean {
  if (!LASTING.test(type)) return false;
  if (OF_A_BUILD.test(path)) return true;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  // Ignore very short and very long names. Long names are slow to check, and no build tool writes them.
  if (dot < 8 || dot > 255 || UUID.test(name)) return false;
  const stem = name.slice(0, dot).replace(AFTER_HASH, '').replace(TRANSFORMED, '$1');
  return hasHexHash(stem) || hasShortHash(stem);
}

function hasHexHash(stem: string): boolean {
  const long = LONG_HEX.exec(stem)?.[0] ?? '';
  if (isMixed(long)) return true;
  const [, eight, more] = SHORT_HEX.exec(stem) ?? [];
  const hash = eight ?? more ?? '';
  // Exclude words that are followed by a number, such as cafe2024. They are valid hexadecimal.
  return isMixed(hash) && !/^[a-f]{3,}\d+$/.test(hash);
}

/**
 * Reports whether the last eight characters of a name are more likely to be a random hash than a part of an ordinary
 * name. Ordinary names carry fewer bits of information. Decision 0156 explains the thresholds.
 */
function hasShortHash(stem: string): boolean {
  const text = EIGHT.exec(stem)?.[1];
  if (text === undefined) return false;
  const before = stem.at(-9);
  if (/^[A-Z2-7]{8}$/.test(text)) return before === '-' && ordinaryBits(text) > BASE32_BITS - 3;
  const hasUpper = /[A-Z]/.test(text);
  const hasLower = /[a-z]/.test(text);
  if (hasUpper && hasLower) {
    // If no separator precedes the eight characters, they are more likely to be a word. If they contain a dash or
    // underscore, they are often short words.
    const doubt = before === undefined ? 8 : /[-_]/.test(text) ? 0 : -4;
    return ordinaryBits(text) > BASE64_BITS + doubt;
  }
  if (before === undefined || !isMixed(text)) return false;
  if (/^[0-9a-z]{8}$/.test(text)) return before === '-' && ordinaryBits(text) > BASE36_BITS + 7;
  return ordinaryBits(text) > BASE64_BITS;
}

const isMixed = (text: string) => /\d/.test(text) && /[a-z]/i.test(text);
