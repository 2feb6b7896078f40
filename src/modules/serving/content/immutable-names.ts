import { ordinaryBits } from './ordinary-names.js';

/** Scripts, styles, fonts, images and wasm. */
const LASTING = /^(?:text\/(?:javascript|css)|font\/|image\/|application\/(?:javascript|wasm|font|vnd\.ms-fontobject))/;

/** Folders in which Next.js, SvelteKit, Astro and Nuxt write only files that are named by their content or build. */
const OF_A_BUILD = /(?:^|\/)(?:_next\/static\/(?:chunks|css|media)|_app\/immutable|_astro|_nuxt)\//;

/** An ID that is assigned to an upload. It does not depend on the content. */
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

/** What build tools write between the hash and the extension. Astro adds the hash of an image’s transformation. */
const AFTER_HASH = /(?:[.-](?:min|chunk|bundle|entry|lean|iframe|async|module|worker|legacy|modern|s|p)|_bg)+$/;
const TRANSFORMED = /(\.[\w-]{8})_[0-9a-z]{4,7}$/i;

/** Digests of webpack, Next.js, Rails, Phoenix, Hugo and others, in full or cut to a usual length. */
const LONG_HEX =
  /(?:^|[^0-9a-z]|_hu)(?:[0-9a-f]{16}|[0-9a-f]{20}|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})(?![0-9a-z])/;
/** Parcel, Create React App, webpack, Rollup 3 and Propshaft: eight digits. Rspack and Django: ten and twelve. */
const SHORT_HEX = /(?:(?:^|[-._])([0-9a-f]{8})|\.([0-9a-f]{10}|[0-9a-f]{12}))$/;
/** Rollup 4, Rolldown, esbuild and what is built on them: eight characters. */
const EIGHT = /(?:^|[-.])([\w-]{8})$/;

/** Bits of eight random characters in Base64url, Base36 and Base32. */
const BASE64_BITS = 48;
const BASE36_BITS = 41.4;
const BASE32_BITS = 40;

/**
 * Reports whether a file seems to be named by its content, as build tools do: a script, style, font, image or wasm
 * whose name contains a hash in the form of a known tool (decision 0156). `ImmutableAssets` checks whether the content
 * really never changed.
 */
export function seemsNamedByContent(path: string, type: string): boolean {
  if (!LASTING.test(type)) return false;
  if (OF_A_BUILD.test(path)) return true;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  // Longer names are slow to check and rare. No tool writes them.
  if (dot < 8 || dot > 255 || UUID.test(name)) return false;
  const stem = name.slice(0, dot).replace(AFTER_HASH, '').replace(TRANSFORMED, '$1');
  return hasHexHash(stem) || hasShortHash(stem);
}

function hasHexHash(stem: string): boolean {
  const long = LONG_HEX.exec(stem)?.[0] ?? '';
  if (isMixed(long)) return true;
  const [, eight, more] = SHORT_HEX.exec(stem) ?? [];
  const hash = eight ?? more ?? '';
  // A word with a number, such as cafe2024, is no hash.
  return isMixed(hash) && !/^[a-f]{3,}\d+$/.test(hash);
}

/**
 * Compares how likely eight characters are as a random hash and as a part of an ordinary name. Names that are random in
 * one of the alphabets need many more bits as words. The thresholds are those of decision 0156.
 */
function hasShortHash(stem: string): boolean {
  const text = EIGHT.exec(stem)?.[1];
  if (text === undefined) return false;
  const before = stem.at(-9);
  if (/^[A-Z2-7]{8}$/.test(text)) return before === '-' && ordinaryBits(text) > BASE32_BITS - 3;
  const hasUpper = /[A-Z]/.test(text);
  const hasLower = /[a-z]/.test(text);
  if (hasUpper && hasLower) {
    // A whole name is more often a word. With a dash in it, the word can be several short ones.
    const doubt = before === undefined ? 8 : /[-_]/.test(text) ? 0 : -4;
    return ordinaryBits(text) > BASE64_BITS + doubt;
  }
  if (before === undefined || !isMixed(text)) return false;
  if (/^[0-9a-z]{8}$/.test(text)) return before === '-' && ordinaryBits(text) > BASE36_BITS + 7;
  return ordinaryBits(text) > BASE64_BITS;
}

const isMixed = (text: string) => /\d/.test(text) && /[a-z]/i.test(text);
