const ESCAPE = '\u001b';

/** A line whose colour sequences are stored apart from its text. It is read once, from start to end. */
export class ColouredLine {
  /** The text without colours. */
  readonly plain: string;
  readonly #colours: { readonly at: number; readonly text: string }[] = [];
  #read = 0;
  #coloursRead = 0;

  /** The text must contain no other control sequences (see `terminalText`). */
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

  /** Returns the unread text before a position in `plain`, with its colours. */
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

  /** Skips to a position in `plain` and returns only the colours before it. */
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
