/**
 * Returns the value of a header field, given its lower-case name. Joins repeated fields (RFC 9110 section 5.3). Reads
 * the raw list, because building Node’s object of all headers costs more than finding a page.
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

/** Reports whether the headers announce a body (RFC 9112 section 6.3). */
export const hasBody = (rawHeaders: readonly string[]): boolean =>
  headerField(rawHeaders, 'transfer-encoding') !== undefined ||
  (headerField(rawHeaders, 'content-length') ?? '0') !== '0';
