/** A piece of a template’s string: either literal text or a placeholder for a value. */
export type Piece = string | { readonly path: string };

const NAME = /^[a-z][A-Za-z0-9]*(?:_index)?$/;

/** Reports whether a string is a path: names separated by dots, such as `link.url`. */
export const isPath = (text: string) => text.split('.').every((name) => NAME.test(name));

/** Splits a string into pieces. Returns null if a `{{` or `}}` is not part of a placeholder. */
export function parsePieces(text: string): readonly Piece[] | null {
  const [before = '', ...rest] = text.split('{{');
  if (before.includes('}}')) return null;
  const pieces: Piece[] = before === '' ? [] : [before];
  for (const part of rest) {
    const end = part.indexOf('}}');
    const path = part.slice(0, Math.max(0, end)).trim();
    const after = part.slice(end + 2);
    if (end < 0 || !isPath(path) || after.includes('}}')) return null;
    pieces.push({ path });
    if (after !== '') pieces.push(after);
  }
  return pieces;
}

export const hasPlaceholder = (pieces: readonly Piece[]) => pieces.some((piece) => typeof piece !== 'string');
