/** Maximum number of cached field names. Well-behaved clients and servers use fewer. */
const REMEMBERED = 2_000;

/** Caches a decision by the field name as sent, so that names need not be lower-cased for every request. */
export function byName<Verdict>(decide: (name: string) => Verdict): (name: string) => Verdict {
  const known = new Map<string, Verdict>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const verdict = decide(name);
    // A name is a slice of the head. Copy it, so that the whole head does not stay in memory.
    if (known.size < REMEMBERED && name.length <= 64) known.set(Buffer.from(name).toString(), verdict);
    return verdict;
  };
}
