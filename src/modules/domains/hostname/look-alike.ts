/** Scripts that can occur together in one word (UTS 39 section 5.2, "highly restrictive"). */
const TOGETHER = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
];

const LETTERS = [
  { name: 'Latin', has: /\p{Script=Latin}/u },
  { name: 'Han', has: /\p{Script=Han}/u },
  { name: 'Hiragana', has: /\p{Script=Hiragana}/u },
  { name: 'Katakana', has: /\p{Script=Katakana}/u },
  { name: 'Bopomofo', has: /\p{Script=Bopomofo}/u },
  { name: 'Hangul', has: /\p{Script=Hangul}/u },
  { name: 'Cyrillic', has: /\p{Script=Cyrillic}/u },
  { name: 'Greek', has: /\p{Script=Greek}/u },
  { name: 'Armenian', has: /\p{Script=Armenian}/u },
  { name: 'Hebrew', has: /\p{Script=Hebrew}/u },
  { name: 'Arabic', has: /\p{Script=Arabic}/u },
  { name: 'Thai', has: /\p{Script=Thai}/u },
  { name: 'Cherokee', has: /\p{Script=Cherokee}/u },
];
const IS_ASCII = /^[ -~]*$/;
const OF_ALL = /[\p{Script=Common}\p{Script=Inherited}]/u;

/** Letters of other scripts that look like Latin letters in most typefaces (Chromium's list). */
const LIKE_LATIN = /^[асԁеһіјӏорԛѕԝхуъьҽпгѵѡαικνρυωηοτագզէլհյոսւօ\d-]+$/u;

/**
 * Warns about a name that could be mistaken for another one: a label with mixed scripts, or a label in look-alike
 * letters before an ASCII top-level domain. Returns null for any other name.
 */
export function lookAlikeWarning(unicode: string): string | null {
  const labels = unicode.split('.');
  const mixed = labels.find(mixesScripts);
  if (mixed !== undefined) return warning(mixed, 'mixes scripts');
  const alike = labels.find((label) => !IS_ASCII.test(label) && LIKE_LATIN.test(label));
  return alike === undefined || !IS_ASCII.test(labels.at(-1) ?? '')
    ? null
    : warning(alike, 'contains letters that look like Latin letters');
}

const warning = (label: string, why: string) =>
  `“${label}” ${why}, so the name could be mistaken for another. Check that it is the one you mean.`;

function mixesScripts(label: string): boolean {
  const letters = [...label].filter((letter) => !OF_ALL.test(letter));
  const scripts = new Set(letters.map((letter) => LETTERS.find(({ has }) => has.test(letter))?.name ?? 'another'));
  return scripts.size > 1 && !TOGETHER.some((together) => [...scripts].every((script) => together.includes(script)));
}
