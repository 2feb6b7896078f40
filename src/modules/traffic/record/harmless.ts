/** Characters that steer a terminal or a line of text, that turn it around, and such as are halves of others. */
const HARMFUL = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

const MAYBE_HARMFUL = /[^\x20-\x7e]/;

/**
 * A text that strangers have sent, of so many characters at most, as it may be stored and shown anywhere: PostgreSQL
 * takes no NUL and no half of a pair, and a terminal obeys control characters.
 */
export function harmless(text: string, most: number): string {
  const short = text.slice(0, most);
  // A copy either way: a piece of a request's head would keep all of it in memory.
  return MAYBE_HARMFUL.test(short)
    ? Buffer.from(short.replace(HARMFUL, '�')).toString()
    : Buffer.from(short, 'latin1').toString('latin1');
}
