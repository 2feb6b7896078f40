/** The longest line that is kept, in characters; what is longer is cut, and nothing of the rest is shown. */
const LONGEST = 65_536;

const ESCAPE = 0x1b;

/** Behind the escape. Colours and weight (ECMA-48, SGR) are what a log may keep. */
const COLOUR = /^\[[\d;:]{0,64}m/;
/** A control sequence ends at a final byte; other escapes are short. */
const CONTROL_SEQUENCE = /^\[[\x20-\x3f]{0,256}[\x40-\x7e]?/;
const OTHER_ESCAPE = /^[\x20-\x2f]{0,8}[\x30-\x7e]?/;
/** Operating system commands, device control strings and their like, which end at one of these. */
const STRING_STARTS = ']PX^_';
const STRING_ENDS = ['\u0007', '\u009c', '\u001b\\'];

/** Marks that make text read in another order than it has (Unicode Bidirectional Algorithm, explicit formatting). */
const isReordering = (code: number) => (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);

/**
 * A line as a terminal would show it in the end, with its colours and nothing else that acts on a terminal: no cursor
 * movements, titles, links, bells or answers that are asked for. What a progress bar wrote over is gone.
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
    // One character of eight bits stands for an escape and the letter 64 places before it (ECMA-48 section 5.3).
    const start = isEightBit ? String.fromCharCode(code - 0x40) : (text[at + 1] ?? '');
    const from = isEightBit ? at + 1 : at + 1 + start.length;
    const colour = isEightBit ? undefined : COLOUR.exec(text.slice(at + 1, at + 80))?.[0];
    if (colour !== undefined) kept += `\u001b${colour}`;
    at = colour === undefined ? endOfControl(text, start, from) : at + 1 + colour.length;
  }
  return kept;
}

/** Where a control that begins so ends; `from` is behind its start. */
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

/** Bytes as they are printed, made into whole lines. A line that never ends is cut, so that it costs no memory. */
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

  /** What was printed after the last line break. */
  async end(): Promise<void> {
    this.#add(this.#decoder.decode());
    if (this.#line !== '') await this.#end();
  }

  #add(text: string) {
    const room = LONGEST - this.#line.length;
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
