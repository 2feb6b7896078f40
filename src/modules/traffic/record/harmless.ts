/** Matches control characters, surrogates, and characters that break lines or change the text direction. */
const HARMFUL = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

const MAYBE_HARMFUL = /[^\x20-\x7e]/;

/** Truncates a text, and replaces characters that PostgreSQL rejects or that would affect a terminal. */
export function harmless(text: string, most: number): string {
  const short = text.slice(0, most);
  // Copy the string, whether or not characters are replaced. A substring would keep the whole request head in memory.
  return MAYBE_HARMFUL.test(short)
    ? Buffer.from(short.replace(HARMFUL, '�')).toString()
    : Buffer.from(short, 'latin1').toString('latin1');
}
