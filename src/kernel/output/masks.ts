import { ColouredLine } from './coloured-line.js';

const MASK = '••••';

/** A shorter line of a value is not masked: `1`, `true` or `main` would leave nothing to read, and hide nothing. */
const SHORTEST = 6;

/**
 * Of a long line this much is compared, and of many lines that begin alike only how they begin; what follows is masked to
 * the full length. So a log takes a bounded time, whatever the secrets are.
 */
const COMPARED = 128;
const MOST_ALIKE = 32;

/** What is looked for, and how much is masked from there on. Characters. */
type Needle = { readonly text: string; readonly length: number };

/**
 * Puts •••• in place of values: of each line of them that has six characters or more, as it is and as it looks in JSON,
 * in an address and in base64, also within something longer. What a job says comes by whole lines, so that nothing hides
 * at the border of two pieces, and colours between the characters hide nothing either.
 */
export class Masks {
  /** By their first characters. */
  readonly #needles = new Map<string, readonly Needle[]>();

  constructor(values: Iterable<string>) {
    const alike = new Map<string, Set<string>>();
    for (const line of new Set([...values].flatMap(linesOf))) {
      const start = line.slice(0, SHORTEST);
      alike.set(start, (alike.get(start) ?? new Set()).add(line));
    }
    for (const [start, lines] of alike) this.#needles.set(start, needlesOf(start, [...lines]));
  }

  /** The text of one line. What overlaps is masked as one; colours within it stay behind it. */
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

/** As it looks in JSON, in an address and in a form that is sent. */
function otherForms(line: string): string[] {
  if (/^[\w.-]*$/.test(line)) return [];
  const inAddress = encodeURIComponent(line.toWellFormed());
  const inForm = inAddress.replaceAll('%20', '+').replace(/[!'()~]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return [JSON.stringify(line).slice(1, -1), inAddress, inForm.replace(/%\w\w/g, (code) => code.toUpperCase())];
}

/** Columns after which programs break lines of base64 (RFC 2045, RFC 7468). */
const COLUMNS = [76, 64];

const urlSafe = (sign: string) => (sign === '+' ? '-' : '_');

/** Three bytes are four characters: what a value looks like depends on how many bytes are before it. */
function inBase64(value: string): string[] {
  const bytes = Buffer.from(value);
  const forms = [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replaceAll('=', '');
    // The first and the last character may be made of bytes around it, too.
    const from = Math.ceil((before * 8) / 6);
    return [text.slice(from), text.slice(from, Math.floor(((before + bytes.length) * 8) / 6))];
  });
  const [alone = ''] = forms;
  const broken = COLUMNS.flatMap((columns) => pieces(alone, columns));
  // As addresses have it (RFC 4648 section 5).
  const inAddresses = forms.filter((text) => /[+/]/.test(text)).map((text) => text.replace(/[+/]/g, urlSafe));
  return [...forms, ...broken, ...inAddresses];
}

const pieces = (text: string, columns: number) =>
  Array.from({ length: Math.ceil(text.length / columns) }, (_, at) => text.slice(at * columns, (at + 1) * columns));

/** The longest first. */
function needlesOf(start: string, lines: readonly string[]): readonly Needle[] {
  const needles = lines.map((line) => ({ text: line.slice(0, COMPARED), length: line.length }));
  needles.sort((one, other) => other.length - one.length);
  return needles.length > MOST_ALIKE ? [{ text: start, length: needles[0]?.length ?? 0 }] : needles;
}
