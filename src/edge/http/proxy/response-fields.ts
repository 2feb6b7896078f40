/** The header fields of a response as a visitor gets them, without framing fields and the request ID. */
export type ResponseFields = {
  /** Alternating names and values. */
  readonly list: readonly string[];
  /** The fields as text, each with its line break. */
  readonly lines: string;
};

/** `list` has alternating names and values, all valid. */
export function buildResponseFields(list: readonly string[]): ResponseFields {
  let lines = '';
  for (let at = 0; at < list.length; at += 2) lines += `${list[at]}: ${list[at + 1]}\r\n`;
  return { list, lines };
}
