/** The longest line that is kept, in characters; what is longer is cut, and nothing of the rest is shown. */
const LONGEST = 65_536;

/** Colours and weight (ECMA-48, SGR): what a log may keep. */
const COLOUR = /^\u001b\[[\d;:]{0,64}m/;

/** Other control sequences, by how they begin: they end at a final byte (CSI), or at BEL or ST (OSC, DCS, SOS, PM, APC). */
const CSI = /^(?:\u001b\[|\u009b)[\u0020-\u003f]{0,256}[\u0040-\u007e]?/;
const STRING_START = /^(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])/;
const STRING_END = /[\u0007\u009c]|\u001b\\/;
const OTHER_ESCAPE = /^\u001b[\u0020-\u002f]{0,8}[\u0030-\u007e]?/;

/** Marks that make text read in another order than it has (Unicode Bidirectional Algorithm, explicit formatting). */
const isReordering = (code: number) => (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);

/**
 * A line as a terminal would show it in the end, with its colours and nothing else that acts on a terminal: no cursor
 * movements, titles, links, bells or answers that are asked for. What a progress bar wrote over is gone.
 */
export function terminalText(line: string): string {
  const last = line.replace(/\r+$/, '');
  return withoutControls(last.slice(last.lastIndexOf('\r') + 1));
}

function withoutControls(text: string): string {
  let kept = '';
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code !== 0x1b && !(code >= 0x80 && code <= 0x9f)) {
      if ((code >= 0x20 && code !== 0x7f && !isReordering(code)) || code === 0x09) kept += text[at];
      at++;
      continue;
    }
    const rest = text.slice(at, at + 300);
    const colour = COLOUR.exec(rest)?.[0];
    kept += colour ?? '';
    at += colour?.length ?? lengthOfControl(text, at, rest);
  }
  return kept;
}

function lengthOfControl(text: string, at: number, rest: string): number {
  const start = STRING_START.exec(rest)?.[0];
  if (start === undefined) return (CSI.exec(rest) ?? OTHER_ESCAPE.exec(rest))?.[0].length || 1;
  const end = STRING_END.exec(text.slice(at + start.length));
  return end ? start.length + end.index + end[0].length : text.length - at;
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
