/** Maximum number of cached spellings, more than honest clients and servers use. */
const REMEMBERED = 2_000;

/**
 * Caches a decision about a header field by its name as sent, so that names are not lower-cased and compared again for
 * each request.
 */
export function byName<Verdict>(decide: (name: string) => Verdict): (name: string) => Verdict {
  const known = new Map<string, Verdict>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const verdict = decide(name);
    // A name is a slice of the head that it arrived in. A copy does not keep the whole head in memory.
    if (known.size < REMEMBERED && name.length <= 64) known.set(Buffer.from(name).toString(), verdict);
    return verdict;
  };
}
