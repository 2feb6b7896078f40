/**
 * Returns the values of one cookie in the order in which they were sent. Trims only spaces and tabs, because any other
 * white space belongs to the name (RFC 6265bis).
 */
export const cookieValues = (header: string | undefined, name: string): string[] =>
  (header ?? '').split(';').flatMap((text) => {
    const pair = trimmed(text);
    return pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : [];
  });

/** Trims by index, because a regular expression for both ends would take quadratic time on long runs of white space. */
function trimmed(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isBlank(text[from])) from++;
  while (from < to && isBlank(text[to - 1])) to--;
  return text.slice(from, to);
}

const isBlank = (character: string | undefined) => character === ' ' || character === '\t';
