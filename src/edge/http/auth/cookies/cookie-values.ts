/**
 * The values of one cookie in a `cookie` header, in the order in which they were sent; what has no equals sign is no
 * cookie. Only blanks and tabs are trimmed: a name with any other white space before it is another name (RFC 6265bis).
 */
export const cookieValues = (header: string | undefined, name: string): string[] =>
  (header ?? '').split(';').flatMap((text) => {
    const pair = trimmed(text);
    return pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : [];
  });

/** By index: an expression for both ends takes time by the square of the blanks that a stranger sends. */
function trimmed(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isBlank(text[from])) from++;
  while (from < to && isBlank(text[to - 1])) to--;
  return text.slice(from, to);
}

const isBlank = (character: string | undefined) => character === ' ' || character === '\t';
