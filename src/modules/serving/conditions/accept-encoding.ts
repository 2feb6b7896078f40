/** How content may be written for the way. */
export type Coding = 'br' | 'zstd' | 'gzip';

/** The smallest first: which one is taken where a visitor likes several as much. */
const CODINGS: readonly Coding[] = ['br', 'zstd', 'gzip'];

/** What a visitor takes: the codings we have in the order to try them, and whether the plain bytes will do. */
export type Taken = { readonly codings: readonly Coding[]; readonly identity: boolean };

export const PLAIN: Taken = { codings: [], identity: true };

/** Browsers send a handful of values; what is sent by nobody else is not remembered for long. */
const REMEMBERED = 256;
const LONGEST = 128;
const remembered = new Map<string, Taken>();

/** Reads an `Accept-Encoding` field (RFC 9110 section 12.5.3). A part of it that is malformed is passed over. */
export function takenBy(field: string | undefined): Taken {
  if (field === undefined) return PLAIN;
  const known = remembered.get(field);
  if (known) return known;
  const taken = read(field);
  if (field.length > LONGEST) return taken;
  if (remembered.size >= REMEMBERED) remembered.clear();
  remembered.set(field, taken);
  return taken;
}

function read(field: string): Taken {
  const weights = new Map<string, number>();
  for (const part of field.split(',')) {
    const match = /^\s*([\w!#$%&'*+.^`|~-]+)\s*(?:;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i.exec(part);
    if (!match) continue;
    const name = (match[1] ?? '').toLowerCase();
    weights.set(name === 'x-gzip' ? 'gzip' : name, Number(match[2] ?? 1));
  }
  const others = weights.get('*');
  const weightOf = (name: string) => weights.get(name) ?? others ?? 0;
  const identity = weights.get('identity') ?? others ?? 1;
  const codings = CODINGS.filter((coding) => weightOf(coding) > 0)
    // Plain bytes that are liked better than a coding come before it, but only where that was said.
    .filter((coding) => !weights.has('identity') || weightOf(coding) >= identity)
    .toSorted((a, b) => weightOf(b) - weightOf(a));
  return { codings, identity: identity > 0 };
}
