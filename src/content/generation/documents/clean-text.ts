/** Control characters other than tab and line feed, and Unicode’s noncharacters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are to be removed.
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff]/g;

/**
 * Embeddings, overrides and isolates (Unicode UAX #9, 2.1 to 2.5), which change the display order of the text after
 * them, even beyond the end of the value. The marks U+200E, U+200F and U+061C are allowed, because they only affect
 * neighboring characters.
 */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/;

/**
 * Reports whether a string contains direction controls. Such a string is refused, because removing the controls would
 * change its meaning.
 */
export const turnsDirection = (text: string) => TURNS.test(text);

/** Converts line endings to LF, removes control characters, and replaces lone surrogates. */
export const cleanText = (text: string) => text.replaceAll('\r\n', '\n').toWellFormed().replace(CONTROLS, '');
