const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = new Set([0x5b, 0x7b]);
const CLOSE = new Set([0x5d, 0x7d]);

/**
 * Whether the lists and objects in this JSON (UTF-8) lie deeper in each other than `most`. What comes of such text costs
 * far more than its bytes: to parse, to check and to throw away.
 */
export function nestsDeeper(json: Uint8Array, most: number): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) isText = !isText;
    else if (isText) at += byte === BACKSLASH ? 1 : 0;
    else if (OPEN.has(byte)) {
      if (++depth > most) return true;
    } else if (CLOSE.has(byte)) depth--;
  }
  return false;
}
