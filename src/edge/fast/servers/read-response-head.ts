import { evaluateResponseHead, MalformedResponseError, type ResponseHead } from '../../http/proxy/response-head.js';

/**
 * A status line and fields in their strictest form: CRLF after every line, no folding, no white space before a colon,
 * no control characters. Request smuggling relies on parsers that disagree.
 */
const HEAD =
  /^HTTP\/1\.[01] [1-5]\d\d(?: [\t\x20-\x7e\x80-\xff]*)?\r\n(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*\r\n)*\r\n$/;
const MINOR_AT = 'HTTP/1.'.length;
const STATUS_AT = 'HTTP/1.1 '.length;

/** Parses a complete head, including its empty line. Throws `MalformedResponseError`. */
export function readResponseHead(text: string, isAnswerToHead: boolean): ResponseHead {
  // The expression has no groups, because extracting groups takes as long as matching the whole head.
  if (!HEAD.test(text))
    throw new MalformedResponseError('The server’s response does not start with a valid HTTP/1.1 head.');
  const rawHeaders: string[] = [];
  const last = text.length - '\r\n'.length;
  for (let at = text.indexOf('\n') + 1; at < last; ) {
    const colon = text.indexOf(':', at);
    const end = text.indexOf('\r', colon);
    rawHeaders.push(text.slice(at, colon), between(text, colon + 1, end));
    at = end + 2;
  }
  const status = Number(text.slice(STATUS_AT, STATUS_AT + 3));
  return evaluateResponseHead(status, text[MINOR_AT] === '0', rawHeaders, isAnswerToHead);
}

/** Removes spaces and tabs only. `String.trim` would remove more characters than RFC 9110 section 5.5 allows. */
function between(text: string, first: number, end: number): string {
  let from = first;
  let to = end;
  while (from < to && isBlank(text.charCodeAt(from))) from++;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

const isBlank = (code: number) => code === 0x20 || code === 0x09;
