/** Controls other than tab and line feed, and what Unicode sets aside as no character at all. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff]/g;

/**
 * Embeddings, overrides and isolates (Unicode UAX #9, 2.1 to 2.5): what follows is shown in another order than it is
 * written in, also beyond the value. The marks U+200E, U+200F and U+061C reach no further than their neighbours.
 */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/;

/** Whether a text turns the direction of what follows it. Such a text is refused: cut out, it would say something else. */
export const turnsDirection = (text: string) => TURNS.test(text);

/** A text as a page may hold it: lines end in LF, without controls, halves of characters replaced. */
export const cleanText = (text: string) => text.replaceAll('\r\n', '\n').toWellFormed().replace(CONTROLS, '');
