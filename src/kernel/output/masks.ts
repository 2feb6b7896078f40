const ESCAPE = '\u001b';

/** A line with its colour sequences stored separately from its text. It is read once, from start to end. */
class ColouredLine {
  readonly plain: string;
  readonly #colours: { readonly at: number; readonly text: string }[] = [];
  #read = 0;
  #coloursRead = 0;

  /** The text must not contain control sequences other than colours (see `terminalText`). */
  constructor(text: string) {
    let plain = '';
    let from = 0;
    for (let at = text.indexOf(ESCAPE); at >= 0; at = text.indexOf(ESCAPE, from)) {
      const end = text.indexOf('m', at);
      if (end < 0) break;
      plain += text.slice(from, at);
      from = end + 1;
      this.#colours.push({ at: plain.length, text: text.slice(at, from) });
    }
    this.plain = plain + text.slice(from);
  }

  /** Returns the unread text before `place`, including its colours. */
  showTo(place: number): string {
    let shown = '';
    for (const { at, text } of this.#coloursTo(place)) {
      shown += this.plain.slice(this.#read, at) + text;
      this.#read = at;
    }
    shown += this.plain.slice(this.#read, place);
    this.#read = place;
    return shown;
  }

  /** Skips to `place`, and returns only the skipped colours. */
  hideTo(place: number): string {
    this.#read = place;
    return this.#coloursTo(place)
      .map(({ text }) => text)
      .join('');
  }

  #coloursTo(place: number) {
    const from = this.#coloursRead;
    while ((this.#colours[this.#coloursRead]?.at ?? Number.POSITIVE_INFINITY) <= place) this.#coloursRead++;
    return this.#colours.slice(from, this.#coloursRead);
  }
}

const MASK = '••••';

/**
 * Minimum length of values to mask. Masking `1`, `true` or `main` would make the log unreadable and protect nothing.
 */
const SHORTEST = 6;

/**
 * Maximum number of characters of a secret to compare, which limits the time per log line. The rest of a longer secret
 * is assumed to match and is masked as well.
 */
const COMPARED = 128;
const MAX_ALIKE = 32;

/** A string to search for, and the number of characters to mask at each match. */
type Needle = { readonly text: string; readonly length: number };

/**
 * Replaces secret values with ••••. Masks each line of a secret that has at least six characters, whether verbatim or
 * encoded as JSON, URL or base64, and ignores colours within it. The input must consist of whole lines, so that no
 * value is split between chunks.
 */
export class Masks {
  /** Strings to search for, keyed by their first characters. */
  readonly #needles = new Map<string, readonly Needle[]>();

  constructor(values: Iterable<string>) {
    const alike = new Map<string, Set<string>>();
    for (const line of new Set([...values].flatMap(linesOf))) {
      const start = line.slice(0, SHORTEST);
      alike.set(start, (alike.get(start) ?? new Set()).add(line));
    }
    for (const [start, lines] of alike) this.#needles.set(start, needlesOf(start, [...lines]));
  }

  /** Masks all matches. Overlapping matches become one mask, followed by the colours within it. */
  in(text: string): string {
    if (this.#needles.size === 0) return text;
    const line = new ColouredLine(text);
    const { plain } = line;
    let masked = '';
    let until = 0;
    for (let at = 0; at + SHORTEST <= plain.length; at++) {
      const length = this.#lengthAt(plain, at);
      if (length === 0) continue;
      if (at >= until) masked += line.showTo(at) + MASK;
      until = Math.max(until, at + length);
      masked += line.hideTo(until);
    }
    return masked + line.showTo(plain.length);
  }

  #lengthAt(text: string, at: number): number {
    const needles = this.#needles.get(text.slice(at, at + SHORTEST));
    return needles?.find((needle) => text.startsWith(needle.text, at))?.length ?? 0;
  }
}

function linesOf(value: string): string[] {
  const lines = value.split(/[\r\n]+/).map((line) => line.trim());
  const whole = [JSON.stringify(value).slice(1, -1), ...[...new Set([value, value.trim()])].flatMap(inBase64)];
  return [...lines, ...lines.flatMap(otherForms), ...whole].filter((line) => line.length >= SHORTEST);
}

/** Returns a line of a secret as encoded in JSON, in a URL and in a submitted form. */
function otherForms(line: string): string[] {
  if (/^[\w.-]*$/.test(line)) return [];
  const inAddress = encodeURIComponent(line.toWellFormed());
  const inForm = inAddress.replaceAll('%20', '+').replace(/[!'()~]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return [JSON.stringify(line).slice(1, -1), inAddress, inForm.replace(/%\w\w/g, (code) => code.toUpperCase())];
}

/** Line lengths of wrapped base64 (RFC 2045, RFC 7468). */
const COLUMNS = [76, 64];

const urlSafe = (sign: string) => (sign === '+' ? '-' : '_');

/** Returns the base64 encodings of a value: at each byte offset modulo 3, wrapped into lines, and URL-safe. */
function inBase64(value: string): string[] {
  const bytes = Buffer.from(value);
  const forms = [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replaceAll('=', '');
    // Leave out the first and the last base64 character if they also encode bits of adjacent bytes.
    const from = Math.ceil((before * 8) / 6);
    return [text.slice(from), text.slice(from, Math.floor(((before + bytes.length) * 8) / 6))];
  });
  const [alone = ''] = forms;
  const broken = COLUMNS.flatMap((columns) => pieces(alone, columns));
  // The URL-safe base64 alphabet (RFC 4648 section 5).
  const inAddresses = forms.filter((text) => /[+/]/.test(text)).map((text) => text.replace(/[+/]/g, urlSafe));
  return [...forms, ...broken, ...inAddresses];
}

const pieces = (text: string, columns: number) =>
  Array.from({ length: Math.ceil(text.length / columns) }, (_, at) => text.slice(at * columns, (at + 1) * columns));

/**
 * Returns the strings to search for in order to mask these lines, all of which begin with `start`. The longest is
 * first. For more than `MAX_ALIKE` lines, returns only `start`, which masks as many characters as the longest line has.
 */
function needlesOf(start: string, lines: readonly string[]): readonly Needle[] {
  const needles = lines.map((line) => ({ text: line.slice(0, COMPARED), length: line.length }));
  needles.sort((one, other) => other.length - one.length);
  return needles.length > MAX_ALIKE ? [{ text: start, length: needles[0]?.length ?? 0 }] : needles;
}
