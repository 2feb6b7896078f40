import { refuse } from '../../../kernel/refusal.js';
import type { SupervisedServer } from './supervised-server.js';

type PlaceHolder = {
  readonly owner: string;
  /** Number of requests in progress and of WebSockets with traffic. */
  readonly uses: number;
  /** Time of the last use (`performance.now()`). */
  readonly usedAt: number;
  readonly isRunning: boolean;
};

/** A server that has not been used for this long counts as idle. */
const UNUSED_MS = 60_000;

/**
 * Chooses the server that must stop so that a server of the owner `waiting` can start. Returns null if no server can be
 * stopped. Prefers the longest unused server of an owner with the most servers, including the waiting one. Otherwise,
 * chooses a server that has been unused for a minute, or a server in use of an owner with the most servers. An owner in
 * `kept` loses a server in use only if that owner then still has at least as many servers as `waiting`.
 */
function choosePlace<Holder extends PlaceHolder>(
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

/** Site owners are looked up again after this time, because sites are claimed and transferred. */
const SHARE_KNOWN_MS = 10_000;
/**
 * An owner who got a place from a server in use keeps it for this long, so that owners don't keep stopping each other's
 * servers.
 */
const KEPT_MS = 60_000;

type Placed = Pick<SupervisedServer, 'uses' | 'usedAt' | 'isUp' | 'standing'> & {
  readonly deploy: { readonly siteId: string };
};

type Place = { share: string; knownAt: number };

/** Limits the number of servers that run in this process. Decides which server must stop to make room for another. */
export class ServerPlaces<Server extends Placed = SupervisedServer> {
  readonly #places = new Map<Server, Place>();
  /** Times (`performance.now()`) until which owners keep their places, by owner. */
  readonly #keptUntil = new Map<string, number>();

  constructor(
    private readonly most: number,
    private readonly shareOf: (siteId: string) => Promise<string>,
  ) {}

  get areTaken(): boolean {
    this.#forgetEnded();
    return this.#places.size >= this.most;
  }

  hasRoomFor(server: Server): boolean {
    return this.#places.has(server) || !this.areTaken;
  }

  /**
   * Gives the server one of the places for running servers, which it keeps until it stops. Returns the server that had
   * the place and must be stopped first, or null if a place was free. Refuses with `server_starting` if no place can be
   * freed.
   */
  async take(server: Server): Promise<{ readonly from: Server; readonly isInUse: boolean } | null> {
    const share = await this.shareOf(server.deploy.siteId);
    if (this.areTaken) await this.#refreshShares();
    // Do not await anything below this line. Otherwise, two waiting servers could get the same place.
    const now = performance.now();
    const place = { share, knownAt: now };
    if (this.hasRoomFor(server)) {
      this.#places.set(server, place);
      return null;
    }
    for (const [owner, until] of this.#keptUntil) if (until < now) this.#keptUntil.delete(owner);
    const holders = [...this.#places].map(([each, { share: owner }]) => ({
      ...{ server: each, owner, uses: each.uses, usedAt: each.usedAt },
      isRunning: each.standing.state === 'running',
    }));
    const chosen = choosePlace(holders, share, new Set(this.#keptUntil.keys()), now);
    if (chosen === null) return refuse('server_starting', 'The maximum number of servers is already running.');
    this.#places.delete(chosen.server);
    this.#places.set(server, place);
    const isInUse = !chosen.isRunning || chosen.uses > 0;
    if (isInUse) this.#keptUntil.set(share, now + KEPT_MS);
    return { from: chosen.server, isInUse };
  }

  #forgetEnded() {
    for (const server of this.#places.keys()) if (!server.isUp) this.#places.delete(server);
  }

  async #refreshShares(): Promise<void> {
    const before = performance.now() - SHARE_KNOWN_MS;
    const stale = [...this.#places].filter(([, { knownAt }]) => knownAt < before);
    await Promise.all(
      stale.map(async ([{ deploy }, place]) => {
        place.share = await this.shareOf(deploy.siteId);
        place.knownAt = performance.now();
      }),
    );
  }
}
