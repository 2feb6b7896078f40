/** Maximum length of a line. The rest of a longer line is dropped. */
const MAX_CHARACTERS = 65_536;

const ESCAPE = 0x1b;

/**
 * Matches a sequence that sets a colour or font weight (ECMA-48, SGR), without its escape character. Logs keep no other
 * sequences.
 */
const COLOUR = /^\[[\d;:]{0,64}m/;
/** Matches a control sequence (ECMA-48) without its escape character, even if the final byte is missing. */
const CONTROL_SEQUENCE = /^\[[\x20-\x3f]{0,256}[\x40-\x7e]?/;
const OTHER_ESCAPE = /^[\x20-\x2f]{0,8}[\x30-\x7e]?/;
/**
 * Characters that, after an escape character, begin operating system commands, device control strings and similar
 * sequences.
 */
const STRING_STARTS = ']PX^_';
const STRING_ENDS = ['\u0007', '\u009c', '\u001b\\'];

/** Reports whether a character is an explicit formatting character of the Unicode Bidirectional Algorithm. */
const isReordering = (code: number) => (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);

// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape character begins a colour
const COLOURS = /\u001b\[[\d;:]{0,64}m/g;

/** Removes the colours and weights from a text that has no other control sequences, such as a line of a log. */
export const withoutColours = (text: string) => text.replace(COLOURS, '');

/**
 * Returns a line as a terminal would finally show it: text that was overwritten, such as earlier states of a progress
 * bar, is removed. Keeps colours. Removes cursor movements, titles, links, bells and queries.
 */
export function terminalText(line: string): string {
  const last = line.replace(/(?<!\r)\r+$/, '');
  return withoutControls(last.slice(last.lastIndexOf('\r') + 1));
}

function withoutControls(text: string): string {
  let kept = '';
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    const isEightBit = code >= 0x80 && code <= 0x9f;
    if (code !== ESCAPE && !isEightBit) {
      if (code === 0x09 || (code >= 0x20 && code !== 0x7f && !isReordering(code))) kept += text[at];
      at++;
      continue;
    }
    // An 8-bit control character is equivalent to ESC followed by the character 64 code points lower (ECMA-48 section
    // 5.3).
    const start = isEightBit ? String.fromCharCode(code - 0x40) : (text[at + 1] ?? '');
    const from = isEightBit ? at + 1 : at + 1 + start.length;
    const colour = isEightBit ? undefined : COLOUR.exec(text.slice(at + 1, at + 80))?.[0];
    if (colour !== undefined) kept += `\u001b${colour}`;
    at = colour === undefined ? endOfControl(text, start, from) : at + 1 + colour.length;
  }
  return kept;
}

/** Returns the end of the control sequence that begins with `start`. `from` is the position after `start`. */
function endOfControl(text: string, start: string, from: number): number {
  if (start !== '' && STRING_STARTS.includes(start)) {
    const ends = STRING_ENDS.flatMap((end) => {
      const at = text.indexOf(end, from);
      return at < 0 ? [] : [at + end.length];
    });
    return Math.min(text.length, ...ends);
  }
  const rest = start + text.slice(from, from + 300);
  return from - start.length + ((CONTROL_SEQUENCE.exec(rest) ?? OTHER_ESCAPE.exec(rest))?.[0].length ?? 0);
}

/** Splits output into lines. Truncates very long lines, so that a line that never ends can't exhaust the memory. */
export class LineReader {
  readonly #decoder = new TextDecoder();
  #line = '';
  #isCut = false;

  constructor(private readonly onLine: (text: string) => Promise<void>) {}

  async read(bytes: Uint8Array): Promise<void> {
    const [first = '', ...others] = this.#decoder.decode(bytes, { stream: true }).split('\n');
    this.#add(first);
    for (const text of others) {
      await this.#end();
      this.#add(text);
    }
  }

  /** Emits the text after the last line break. */
  async end(): Promise<void> {
    this.#add(this.#decoder.decode());
    if (this.#line !== '') await this.#end();
  }

  #add(text: string) {
    const room = MAX_CHARACTERS - this.#line.length;
    if (text.length > room) this.#isCut = true;
    this.#line += text.slice(0, Math.max(0, room));
  }

  async #end(): Promise<void> {
    const line = terminalText(this.#line);
    const text = this.#isCut ? `${line}…` : line;
    this.#line = '';
    this.#isCut = false;
    await this.onLine(text);
  }
}
