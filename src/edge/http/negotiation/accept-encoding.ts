/** A content coding (RFC 9110 section 8.4.1) that this service supports. */
export type Coding = 'br' | 'zstd' | 'gzip';

/** Best compression first. This order decides between codings that a visitor accepts equally. */
const CODINGS: readonly Coding[] = ['br', 'zstd', 'gzip'];

export type AcceptedCodings = { readonly codings: readonly Coding[]; readonly identity: boolean };

export const PLAIN: AcceptedCodings = { codings: [], identity: true };

/**
 * Maximum number of cached `Accept-Encoding` headers. A plain map is faster than `lru-cache`, and every request needs
 * this lookup.
 */
const REMEMBERED = 256;
const MAX_CHARACTERS = 128;
const remembered = new Map<string, AcceptedCodings>();

/** Parses an `Accept-Encoding` header (RFC 9110 section 12.5.3). Ignores malformed parts. */
export function acceptedCodings(field: string | undefined): AcceptedCodings {
  if (field === undefined) return PLAIN;
  const known = remembered.get(field);
  if (known) return known;
  const taken = read(field);
  if (field.length > MAX_CHARACTERS) return taken;
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
    // Uncompressed content wins only if the header lists `identity` with a higher weight.
    .filter((coding) => !weights.has('identity') || weightOf(coding) >= identity)
    .toSorted((a, b) => weightOf(b) - weightOf(a));
  return { codings, identity: identity > 0 };
}
