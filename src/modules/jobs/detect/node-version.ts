/** What builds run on. */
export const NODE_MAJOR = 24;

/**
 * Whether a range of versions (`engines.node`, `.nvmrc`) may mean this major version; what is not understood may.
 * Only majors are looked at: within one, versions are compatible (nodejs.org, “Release schedule”).
 */
export function mayBeMajor(range: string, major: number): boolean {
  return range.split('||').some((alternative) => {
    const parts = alternative
      .trim()
      .replace(/(>=|<=|>|<|\^|~|=)\s+/g, '$1')
      .split(/\s+/);
    return parts.every((part) => fits(part, major));
  });
}

function fits(part: string, major: number): boolean {
  const [, sign = '', digits, rest = ''] = /^(>=|<=|>|<|\^|~|=)?v?(\d{1,6})(\..*)?$/.exec(part) ?? [];
  if (digits === undefined) return true;
  const named = Number(digits);
  if (sign === '>=' || sign === '>') return major >= named;
  if (sign === '<=') return major <= named;
  if (sign === '<') return /^(?:\.0)*$/.test(rest) ? major < named : major <= named;
  return major === named;
}
