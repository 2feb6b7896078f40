/**
 * The value of a header field, by its name in lower case; several of the same name joined as one list (RFC 9110 section
 * 5.3). Read from the parser’s own list: Node makes its object of all headers on first use, and for a page that costs
 * more than finding the page does.
 */
export function headerField(rawHeaders: readonly string[], name: string): string | undefined {
  let joined: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const field = rawHeaders[at];
    if (field?.length !== name.length || field.toLowerCase() !== name) continue;
    const value = rawHeaders[at + 1] ?? '';
    joined = joined === undefined ? value : `${joined}, ${value}`;
  }
  return joined;
}

/** Whether a request has a body by its headers (RFC 9112 section 6.3). */
export const hasBody = (rawHeaders: readonly string[]): boolean =>
  headerField(rawHeaders, 'transfer-encoding') !== undefined ||
  (headerField(rawHeaders, 'content-length') ?? '0') !== '0';
