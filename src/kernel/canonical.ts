/**
 * The one text of a JSON value, by RFC 8785: keys sorted by UTF-16 code units, no white space,
 * numbers and strings as ECMAScript writes them (section 3.2.2). `undefined` members are left out, as in JSON.
 *
 * Throws a TypeError for what JSON cannot say: NaN, infinities, functions, bigints, and lone surrogates
 * (RFC 8785 section 3.2.2.2; text from outside has them replaced at the edge).
 */
export function canonical(value: unknown): string {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new TypeError('A lone surrogate has no canonical JSON.');
    return JSON.stringify(value);
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`${value} has no JSON.`);
    return JSON.stringify(value);
  }
  if (value === null || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object') throw new TypeError(`A ${typeof value} has no JSON.`);

  const members: Record<string, unknown> = { ...value };
  let text = '';
  for (const key of Object.keys(members).sort()) {
    if (members[key] === undefined) continue;
    text += `${text && ','}${canonical(key)}:${canonical(members[key])}`;
  }
  return `{${text}}`;
}
