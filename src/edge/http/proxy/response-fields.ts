/** The header fields of a response to a visitor, without framing fields and the request ID. */
export type ResponseFields = {
  /** Alternating header names and values. */
  readonly list: readonly string[];
  /** The fields as a string, with a line break after each. */
  readonly lines: string;
};

/** `list` contains alternating header names and values, which must already have been validated. */
export function buildResponseFields(list: readonly string[]): ResponseFields {
  let lines = '';
  for (let at = 0; at < list.length; at += 2) lines += `${list[at]}: ${list[at + 1]}\r\n`;
  return { list, lines };
}
