/** A text of a template: what stands there as it is, and where a value goes. */
export type Piece = string | { readonly path: string };

const NAME = /^[a-z][A-Za-z0-9]*(?:_index)?$/;

/** `link.url` and the like: names with dots between. */
export const isPath = (text: string) => text.split('.').every((name) => NAME.test(name));

/** The pieces of a text; null where a `{{` or `}}` in it is not part of a placeholder. */
export function piecesOf(text: string): readonly Piece[] | null {
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
