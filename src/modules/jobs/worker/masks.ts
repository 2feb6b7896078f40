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
 * in an address and in base64. What a job says comes by whole lines, so that nothing hides at the border of two pieces.
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

  /** The text of one line. What overlaps is masked as one. */
  in(text: string): string {
    if (this.#needles.size === 0) return text;
    let masked = '';
    let shown = 0;
    let until = 0;
    for (let at = 0; at + SHORTEST <= text.length; at++) {
      const length = this.#lengthAt(text, at);
      if (length === 0) continue;
      if (at >= until) masked += text.slice(Math.min(shown, at), at) + MASK;
      until = Math.max(until, at + length);
      shown = until;
    }
    return masked + text.slice(shown);
  }

  #lengthAt(text: string, at: number): number {
    const needles = this.#needles.get(text.slice(at, at + SHORTEST));
    return needles?.find((needle) => text.startsWith(needle.text, at))?.length ?? 0;
  }
}

function linesOf(value: string): string[] {
  const lines = value.split(/[\r\n]+/).map((line) => line.trim());
  const whole = [
    JSON.stringify(value).slice(1, -1),
    Buffer.from(value)
      .toString('base64')
      .replace(/={1,2}$/, ''),
  ];
  return [...lines, ...lines.flatMap(otherForms), ...whole].filter((line) => line.length >= SHORTEST);
}

const otherForms = (line: string) => [JSON.stringify(line).slice(1, -1), encodeURIComponent(line.toWellFormed())];

/** The longest first. */
function needlesOf(start: string, lines: readonly string[]): readonly Needle[] {
  const needles = lines.map((line) => ({ text: line.slice(0, COMPARED), length: line.length }));
  needles.sort((one, other) => other.length - one.length);
  return needles.length > MOST_ALIKE ? [{ text: start, length: needles[0]?.length ?? 0 }] : needles;
}
