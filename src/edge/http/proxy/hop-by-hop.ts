/** Fields that apply to a single connection (RFC 9110 section 7.6.1), including obsolete ones. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const LENGTHS: ReadonlySet<number> = new Set([...HOP_BY_HOP].map(({ length }) => length));

export const isHopByHop = (name: string): boolean => LENGTHS.has(name.length) && HOP_BY_HOP.has(name.toLowerCase());

/** Removes the standard hop-by-hop fields and the fields named by `connection`. */
export function withoutHopByHop(fields: readonly string[], connection: string): readonly string[] {
  const named = connection === '' ? NONE : parseConnectionOptions(connection);
  if (named.size === 0 && !hasAny(fields)) return fields;
  const kept: string[] = [];
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at] ?? '';
    if (!isHopByHop(name) && !named.has(name.toLowerCase())) kept.push(name, fields[at + 1] ?? '');
  }
  return kept;
}

const NONE: ReadonlySet<string> = new Set();
/** The most common values of the `connection` header. */
const USUAL = new Set(['keep-alive', 'close', ',keep-alive', ',close']);
const OPTIONS = new Set(['', 'close', 'keep-alive', 'upgrade']);

export function parseConnectionOptions(connection: string): ReadonlySet<string> {
  if (USUAL.has(connection)) return NONE;
  const named = connection
    .toLowerCase()
    .split(',')
    .map((option) => option.trim())
    .filter((option) => !OPTIONS.has(option));
  return named.length === 0 ? NONE : new Set(named);
}

function hasAny(fields: readonly string[]): boolean {
  for (let at = 0; at < fields.length; at += 2) if (isHopByHop(fields[at] ?? '')) return true;
  return false;
}
