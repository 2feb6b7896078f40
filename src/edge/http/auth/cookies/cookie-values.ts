/**
 * Returns the values of one cookie in a `cookie` header, in the order in which they were sent. A part without an equals
 * sign is not a cookie. Only spaces and tabs are trimmed, because any other white space before a name is part of the
 * name (RFC 6265bis).
 */
export const cookieValues = (header: string | undefined, name: string): string[] =>
  (header ?? '').split(';').flatMap((text) => {
    const pair = trimmed(text);
    return pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : [];
  });

/** Trims by index, because a regular expression for both ends takes quadratic time on long runs of white space. */
function trimmed(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isBlank(text[from])) from++;
  while (from < to && isBlank(text[to - 1])) to--;
  return text.slice(from, to);
}

const isBlank = (character: string | undefined) => character === ' ' || character === '\t';
