/** A content coding (RFC 9110 section 8.4.1) that we can make. */
export type Coding = 'br' | 'zstd' | 'gzip';

/** The one that makes content smallest first: it is taken where a visitor prefers none of several. */
const CODINGS: readonly Coding[] = ['br', 'zstd', 'gzip'];

/** What a visitor accepts: our codings in the order to try them, and whether the plain bytes will do. */
export type AcceptedCodings = { readonly codings: readonly Coding[]; readonly identity: boolean };

export const PLAIN: AcceptedCodings = { codings: [], identity: true };

/** Browsers send a handful of values. Ours, and not `lru-cache`, as each request asks it: a plain map is read fastest. */
const REMEMBERED = 256;
const LONGEST = 128;
const remembered = new Map<string, AcceptedCodings>();

/** Reads an `Accept-Encoding` field (RFC 9110 section 12.5.3). A malformed part of it is ignored. */
export function acceptedCodings(field: string | undefined): AcceptedCodings {
  if (field === undefined) return PLAIN;
  const known = remembered.get(field);
  if (known) return known;
  const taken = read(field);
  if (field.length > LONGEST) return taken;
  if (remembered.size >= REMEMBERED) remembered.clear();
  remembered.set(field, taken);
  return taken;
}

function read(field: string): AcceptedCodings {
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
    // Plain bytes go before a coding only where the field prefers them by name.
    .filter((coding) => !weights.has('identity') || weightOf(coding) >= identity)
    .toSorted((a, b) => weightOf(b) - weightOf(a));
  return { codings, identity: identity > 0 };
}
