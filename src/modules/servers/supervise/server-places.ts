import { refuse } from '../../../kernel/refusal.js';
import { choosePlace } from './choose-place.js';
import type { SupervisedServer } from './supervised-server.js';

/** What is known of whose a server is, is asked again after this time: sites are claimed and change owners. */
const SHARE_KNOWN_MS = 10_000;
/** An owner who took a place that was in use keeps it for this long, so that two owners do not stop each other’s servers all the time. */
const KEPT_MS = 60_000;

type Placed = Pick<SupervisedServer, 'uses' | 'usedAt' | 'isUp' | 'standing'> & {
  readonly program: { readonly siteId: string };
};

type Place = { share: string; knownAt: number };

/** The places that this process has for running servers, and which server gives its place to another. */
export class ServerPlaces<Server extends Placed = SupervisedServer> {
  readonly #places = new Map<Server, Place>();
  /** By owner, by `performance.now()`. */
  readonly #keptUntil = new Map<string, number>();

  constructor(
    private readonly most: number,
    private readonly shareOf: (siteId: string) => Promise<string>,
  ) {}

  get areTaken(): boolean {
    this.#forgetEnded();
    return this.#places.size >= this.most;
  }

  /** Whether a server can start without the end of another. */
  hasRoomFor(server: Server): boolean {
    return this.#places.has(server) || !this.areTaken;
  }

  /**
   * Gives the server a place, until it is no longer up. Returns the server that had the place until now, which has to be
   * stopped first; null if a place was free. Refuses with `server_starting`.
   */
  async take(server: Server): Promise<{ readonly from: Server; readonly isInUse: boolean } | null> {
    const share = await this.shareOf(server.program.siteId);
    if (this.areTaken) await this.#refreshShares();
    // From here on nothing is awaited: of two servers that wait, each gets another place.
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
      stale.map(async ([{ program }, place]) => {
        place.share = await this.shareOf(program.siteId);
        place.knownAt = performance.now();
      }),
    );
  }
}
