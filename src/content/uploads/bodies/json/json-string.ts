const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LOWER_U = 0x75;
const SIMPLE: Readonly<Record<string, number>> = {
  '"': 0x22,
  '\\': 0x5c,
  '/': 0x2f,
  b: 0x08,
  f: 0x0c,
  n: 0x0a,
  r: 0x0d,
  t: 0x09,
};

/**
 * The decoded part of a JSON string (RFC 8259 section 7): its UTF-8 bytes, the number of input bytes that were
 * consumed, and whether they included the closing quote.
 */
export type Unescaped = {
  readonly text: Buffer;
  readonly used: number;
  readonly ended: boolean;
  /** The next character is a lone surrogate, which is valid JSON but cannot be represented in UTF-8. */
  readonly isLone?: true;
};

/**
 * Decodes a string up to its closing quote, or up to the end of the input. Leaves an incomplete escape for the next
 * call. Returns null for invalid JSON. Stops at a lone surrogate, because UTF-8 cannot represent it.
 */
export function unescaped(bytes: Buffer): Unescaped | null {
  const run = runFrom(bytes, 0);
  // Most chunks contain no escapes, so no copy is needed.
  if (bytes[run] === QUOTE) return { text: bytes.subarray(0, run), used: run + 1, ended: true };
  if (run === bytes.length) return { text: bytes, used: run, ended: false };

  const text = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let at = 0; ; ) {
    const end = runFrom(bytes, at);
    length += bytes.copy(text, length, at, end);
    at = end;
    const byte = bytes[at];
    if (byte === QUOTE) return { text: text.subarray(0, length), used: at + 1, ended: true };
    if (byte === undefined) return { text: text.subarray(0, length), used: at, ended: false };
    if (byte !== BACKSLASH) return null;

    const simple = SIMPLE[String.fromCharCode(bytes[at + 1] ?? 0)];
    if (simple !== undefined) {
      length = text.writeUInt8(simple, length);
      at += 2;
      continue;
    }
    const character = unicodeAt(bytes, at);
    if (character === 'incomplete') return { text: text.subarray(0, length), used: at, ended: false };
    if (character === null) return null;
    if (character === 'lone') return { text: text.subarray(0, length), used: at, ended: false, isLone: true };
    length += text.write(character.text, length);
    at += character.used;
  }
}

function runFrom(bytes: Buffer, from: number): number {
  let at = from;
  for (let byte = bytes[at]; byte !== undefined && byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH; )
    byte = bytes[++at];
  return at;
}

/** Decodes one `\uXXXX`, or two that form a surrogate pair. Returns null for invalid JSON. */
function unicodeAt(bytes: Buffer, at: number): { text: string; used: number } | 'incomplete' | 'lone' | null {
  const unit = unitAt(bytes, at);
  if (typeof unit !== 'number') return unit;
  if (unit < 0xd800 || unit > 0xdfff) return { text: String.fromCharCode(unit), used: 6 };
  if (unit > 0xdbff) return 'lone';
  const low = unitAt(bytes, at + 6);
  if (low === 'incomplete') return low;
  if (low !== null && low >= 0xdc00 && low <= 0xdfff) return { text: String.fromCharCode(unit, low), used: 12 };
  return 'lone';
}

/** Returns the value of one `\uXXXX`, without creating strings, because a body may consist entirely of such escapes. */
function unitAt(bytes: Buffer, at: number): number | 'incomplete' | null {
  if (at >= bytes.length) return 'incomplete';
  if (bytes[at] !== BACKSLASH) return null;
  if (at + 1 === bytes.length) return 'incomplete';
  if (bytes[at + 1] !== LOWER_U) return null;
  let unit = 0;
  for (let digit = at + 2; digit < at + 6; digit++) {
    const byte = bytes[digit];
    if (byte === undefined) return 'incomplete';
    const value = hexadecimal(byte);
    if (value === null) return null;
    unit = 16 * unit + value;
  }
  return unit;
}

function hexadecimal(byte: number): number | null {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : null;
}
