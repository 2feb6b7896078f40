/**
 * A header field as it was sent, by its name in lower case; several of the name as one list (RFC 9110 section 5.3). Read
 * from what the parser made: Node's object of all headers is made when it is first looked at, and costs a request for a
 * page more than finding the page does.
 */
export function sentField(rawHeaders: readonly string[], name: string): string | undefined {
  let found: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const sent = rawHeaders[at];
    if (sent?.length !== name.length || sent.toLowerCase() !== name) continue;
    const value = rawHeaders[at + 1] ?? '';
    found = found === undefined ? value : `${found}, ${value}`;
  }
  return found;
}

/** Whether a request said that it has a body (RFC 9112 section 6.3). */
export const announcesBody = (rawHeaders: readonly string[]): boolean =>
  sentField(rawHeaders, 'transfer-encoding') !== undefined || (sentField(rawHeaders, 'content-length') ?? '0') !== '0';
