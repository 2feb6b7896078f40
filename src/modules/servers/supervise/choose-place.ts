/** Server that occupies one of the places. */
export type PlaceHolder = {
  readonly owner: string;
  /** Number of requests in progress and of WebSockets that are not silent. */
  readonly uses: number;
  /** On the clock of `performance.now()`. */
  readonly usedAt: number;
  /** Whether the server has finished starting. */
  readonly isRunning: boolean;
};

/** A server that was not used for this long counts as idle. */
const UNUSED_MS = 60_000;

/**
 * Chooses the server that gives up its place when an owner waits and no place is free; null if none does. The owner
 * with the most places gives one up, preferably one that nobody is using. An owner who has no more places than the
 * waiting one keeps a server that was used in the last minute. Owners in `kept` only lose a place that is in use if
 * they have more than their share afterwards.
 */
export function choosePlace<Holder extends PlaceHolder>(
  holders: readonly Holder[],
  waiting: string,
  kept: ReadonlySet<string>,
  now: number,
): Holder | null {
  const counts = new Map<string, number>();
  for (const { owner } of holders) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  const own = counts.get(waiting) ?? 0;
  const countOf = (owner: string) => (owner === waiting ? own + 1 : (counts.get(owner) ?? 0));
  const most = Math.max(...holders.map(({ owner }) => countOf(owner)), own + 1);

  const longestUnused = [...holders].sort((one, other) => one.usedAt - other.usedAt);
  const idle = longestUnused.filter(({ uses, isRunning }) => isRunning && uses === 0);
  const canLose = ({ owner }: Holder) => owner !== waiting && (countOf(owner) > own + 1 || !kept.has(owner));
  const [inUse] = longestUnused
    .filter((holder) => countOf(holder.owner) === most && countOf(holder.owner) > own && canLose(holder))
    .sort((one, other) => Number(other.isRunning) - Number(one.isRunning));

  return (
    idle.find(({ owner }) => countOf(owner) === most) ??
    idle.find(({ usedAt }) => now - usedAt >= UNUSED_MS) ??
    inUse ??
    null
  );
}
