/** What builds run on. */
export const NODE_MAJOR = 24;

/**
 * Whether a range of versions (`engines.node`, `.nvmrc`) may mean this major version; what is not understood may.
 * Only majors are looked at: within one, versions are compatible (nodejs.org, “Release schedule”).
 */
export function canBeMajor(range: string, major: number): boolean {
  return range.split('||').some((alternative) => {
    const parts = alternative
      .trim()
      .replace(/(>=|<=|>|<|\^|~|=)\s+/g, '$1')
      .split(/\s+/);
    return parts.every((part) => fits(part, major));
  });
}

/** What a project that asks for a range of Node is built with. */
export type NodeChoice = {
  /** The version to be fetched; null for our own. */
  readonly fetched: string | null;
  /** Why that is not what the project asks for; null where it may be. */
  readonly unmet: string | null;
};

/** Our own Node where it may be meant, else the first of the versions that the operator lists that may. */
export function nodeFor(range: string | null, versions: readonly string[]): NodeChoice {
  if (range === null || canBeMajor(range, NODE_MAJOR)) return { fetched: null, unmet: null };
  const fetched = versions.find((version) => canBeMajor(range, Number.parseInt(version, 10))) ?? null;
  if (fetched !== null) return { fetched, unmet: null };
  const had = [String(NODE_MAJOR), ...versions].join(', ');
  const unmet = `The project requires Node ${range.slice(0, 100)}, but builds here only have Node ${had}. The operator can add versions in STELE_NODE_VERSIONS.`;
  return { fetched, unmet };
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
