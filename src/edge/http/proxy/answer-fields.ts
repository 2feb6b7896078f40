/** The fields of an answer as a visitor gets them, without framing and without the id of the request. */
export type AnswerFields = {
  /** Names and values by turns. */
  readonly list: readonly string[];
  /** The fields as a head has them: each with its line break. */
  readonly lines: string;
};

/** Of names and values by turns, which are valid. */
export function answerFieldsOf(list: readonly string[]): AnswerFields {
  let lines = '';
  for (let at = 0; at < list.length; at += 2) lines += `${list[at]}: ${list[at + 1]}\r\n`;
  return { list, lines };
}
