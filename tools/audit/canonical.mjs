// Canonical JSON (RFC 8785), used for hashes and signatures.

/** Maximum nesting depth. Events are nested far less, but a malicious file might not be. */
export const MAX_DEPTH = 500;

/** Returns canonical JSON. Throws a RangeError for too much nesting, and a TypeError for a lone surrogate. */
export function canonical(value, depth = 0) {
  if (depth > MAX_DEPTH) throw new RangeError('nested too deeply');
  if (typeof value === 'string' && !value.isWellFormed()) throw new TypeError('a lone surrogate');
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, depth + 1)).join(',')}]`;
  // By default, sort() uses UTF-16 code units, as RFC 8785 section 3.2.3 requires.
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${canonical(key)}:${canonical(value[key], depth + 1)}`).join(',')}}`;
}
