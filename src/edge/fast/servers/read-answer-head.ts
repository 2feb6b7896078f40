import { type AnswerHead, answerHeadOf, MalformedAnswer } from '../../http/proxy/answer-head.js';

/**
 * A status line and fields in their strictest form: every line ended by CR LF, no folding, no blank before a colon, no
 * control characters. What two parsers may read differently is what smuggling is made of.
 */
const HEAD =
  /^HTTP\/1\.[01] [1-5]\d\d(?: [\t\x20-\x7e\x80-\xff]*)?\r\n(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*\r\n)*\r\n$/;
/** Where such a head has them. */
const MINOR_AT = 'HTTP/1.'.length;
const STATUS_AT = 'HTTP/1.1 '.length;

/** Reads a whole head, its empty line included. Throws `MalformedAnswer`. */
export function readAnswerHead(text: string, isAnswerToHead: boolean): AnswerHead {
  // Without groups, as making their texts takes as long as looking at all of it.
  if (!HEAD.test(text)) throw new MalformedAnswer('The server’s response does not start with a valid HTTP/1.1 head.');
  const rawHeaders: string[] = [];
  const last = text.length - '\r\n'.length;
  for (let at = text.indexOf('\n') + 1; at < last; ) {
    const colon = text.indexOf(':', at);
    const end = text.indexOf('\r', colon);
    rawHeaders.push(text.slice(at, colon), between(text, colon + 1, end));
    at = end + 2;
  }
  const status = Number(text.slice(STATUS_AT, STATUS_AT + 3));
  return answerHeadOf(status, text[MINOR_AT] === '0', rawHeaders, isAnswerToHead);
}

/** The text without the blanks and tabs around it: `trim` takes more than these (RFC 9110 section 5.5). */
function between(text: string, first: number, end: number): string {
  let from = first;
  let to = end;
  while (from < to && isBlank(text.charCodeAt(from))) from++;
  while (to > from && isBlank(text.charCodeAt(to - 1))) to--;
  return text.slice(from, to);
}

const isBlank = (code: number) => code === 0x20 || code === 0x09;
