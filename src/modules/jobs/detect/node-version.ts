/** Major version of Node that builds run on. */
export const NODE_MAJOR = 24;

/**
 * Reports whether a version range (`engines.node`, `.nvmrc`) can include this major version. Unknown syntax counts as a
 * match. Releases with the same major version are compatible (nodejs.org, "Release schedule").
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

export type NodeChoice = {
  /** Version to download, or null to use the machine's own. */
  readonly fetched: string | null;
  /** Why the Node version that the project requires is unavailable; null if it might be available. */
  readonly unmet: string | null;
};

/** Chooses the machine's own Node if the range can include it; otherwise the first match in the operator's list. */
export function chooseNodeVersion(range: string | null, versions: readonly string[]): NodeChoice {
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
