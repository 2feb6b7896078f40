export type StyledText = {
  readonly text: string;
  /** CSS classes from `log.css`, separated by spaces. */
  readonly classes: string;
};

type Style = {
  /** Index into xterm's palette of 256 colours. */
  readonly fore?: number;
  readonly back?: number;
  /** CSS classes for attributes other than colours, such as bold. */
  readonly marks: ReadonlySet<string>;
};

const PLAIN: Style = { marks: new Set() };

/** Start of a Select Graphic Rendition sequence (ECMA-48 section 8.3.117). A log contains no other escape sequences. */
const START = '\u001b[';
const REST = /^([\d;:]{0,64})m/;

const MARKS: Readonly<Record<number, string>> = { 1: 'sb', 2: 'sd', 3: 'si', 4: 'su', 7: 'sv', 9: 'ss', 21: 'su' };
const UNMARKS: Readonly<Record<number, readonly string[]>> = {
  22: ['sb', 'sd'],
  23: ['si'],
  24: ['su'],
  27: ['sv'],
  29: ['ss'],
};

/** Splits a line into pieces that each have one style. Concealed text is shown. */
export function styledText(line: string): readonly StyledText[] {
  const [first = '', ...others] = line.split(START);
  const pieces = [{ text: first, classes: '' }];
  let style = PLAIN;
  for (const other of others) {
    const [sequence = '', parameters] = REST.exec(other) ?? [];
    if (parameters !== undefined) style = changed(style, parameters);
    pieces.push({ text: other.slice(sequence.length), classes: classesOf(style) });
  }
  return pieces.filter(({ text }) => text !== '');
}

export const plainText = (line: string): string =>
  styledText(line)
    .map(({ text }) => text)
    .join('');

function classesOf({ fore, back, marks }: Style): string {
  const colours = [...(fore === undefined ? [] : [`f${fore}`]), ...(back === undefined ? [] : [`b${back}`])];
  return [...colours, ...marks].join(' ');
}

function changed(style: Style, parameters: string): Style {
  const codes = parameters.split(';');
  let now = style;
  for (let at = 0; at < codes.length; at++) {
    const [code = 0, ...sub] = (codes[at] ?? '').split(':').map(Number);
    if (code === 38 || code === 48 || code === 58) {
      const rest = sub.length > 0 ? sub : codes.slice(at + 1, at + 5).map(Number);
      const { colour, taken } = extendedColour(rest);
      if (sub.length === 0) at += taken;
      if (code !== 58) now = coloured(now, code === 38 ? 'fore' : 'back', colour);
    } else now = withCode(now, code, sub[0]);
  }
  return now;
}

function withCode(style: Style, code: number, sub: number | undefined): Style {
  if (code === 0) return PLAIN;
  if (code === 4 && sub === 0) return withCode(style, 24, undefined);
  const mark = MARKS[code];
  if (mark !== undefined) return { ...style, marks: new Set([...style.marks, mark]) };
  const gone = UNMARKS[code];
  if (gone) return { ...style, marks: new Set([...style.marks].filter((each) => !gone.includes(each))) };
  if (code === 39) return coloured(style, 'fore', undefined);
  if (code === 49) return coloured(style, 'back', undefined);
  if (code >= 30 && code <= 37) return coloured(style, 'fore', code - 30);
  if (code >= 40 && code <= 47) return coloured(style, 'back', code - 40);
  if (code >= 90 && code <= 97) return coloured(style, 'fore', code - 82);
  if (code >= 100 && code <= 107) return coloured(style, 'back', code - 92);
  return style;
}

function coloured({ fore, back, marks }: Style, which: 'fore' | 'back', colour: number | undefined): Style {
  const next = { fore, back, [which]: colour };
  return {
    marks,
    ...(next.fore !== undefined && { fore: next.fore }),
    ...(next.back !== undefined && { back: next.back }),
  };
}

/** Parses an extended colour: `5;n`, `2;r;g;b` or, with a colour space, `2::r:g:b`. */
function extendedColour(rest: readonly number[]): { readonly colour: number | undefined; readonly taken: number } {
  if (rest[0] === 5) return { colour: isByte(rest[1]) ? rest[1] : undefined, taken: 2 };
  if (rest[0] !== 2) return { colour: undefined, taken: rest.length };
  const parts = rest.length > 4 ? rest.slice(-3) : rest.slice(1, 4);
  const [red, green, blue] = parts;
  const isColour = isByte(red) && isByte(green) && isByte(blue);
  return { colour: isColour ? nearest(red, green, blue) : undefined, taken: 4 };
}

const isByte = (value: number | undefined): value is number =>
  value !== undefined && Number.isInteger(value) && value >= 0 && value <= 255;

/** The six levels of each channel in xterm's 6 × 6 × 6 colour cube. */
export const LEVELS = [0, 95, 135, 175, 215, 255] as const;

/** Returns the index of the closest colour. Considers only the 240 colours that look the same on every terminal. */
function nearest(red: number, green: number, blue: number): number {
  const [r, g, b] = [level(red), level(green), level(blue)];
  const cube = 16 + 36 * r + 6 * g + b;
  const shade = Math.min(23, Math.max(0, Math.round(((red + green + blue) / 3 - 8) / 10)));
  const grey = 8 + shade * 10;
  const off = (...to: readonly (number | undefined)[]) =>
    [red, green, blue].reduce((sum, value, at) => sum + (value - (to[at] ?? 0)) ** 2, 0);
  return off(grey, grey, grey) < off(LEVELS[r], LEVELS[g], LEVELS[b]) ? 232 + shade : cube;
}

const level = (value: number) => (value < 48 ? 0 : value < 115 ? 1 : Math.floor((value - 35) / 40));
