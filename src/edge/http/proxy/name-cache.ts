/** So many spellings are remembered: more than honest programs and browsers have. */
const REMEMBERED = 2_000;

/**
 * Remembers what was decided of a field by its name as it was sent. Each name of each request passes here, and is looked at
 * once instead of put in lower case and compared each time.
 */
export function byName<Verdict>(decide: (name: string) => Verdict): (name: string) => Verdict {
  const known = new Map<string, Verdict>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const verdict = decide(name);
    // A name is a part of the head that it came in: a copy does not keep all of that in memory.
    if (known.size < REMEMBERED && name.length <= 64) known.set(Buffer.from(name).toString(), verdict);
    return verdict;
  };
}
