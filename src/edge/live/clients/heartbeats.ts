/** Interval between two heartbeats (docs/interface/streams.md, "Server-sent events"). */
const EVERY_SECONDS = 15;

export type HeartbeatReceiver = {
  /** Keeps the connection alive and checks whether the client may still watch. Must not throw. */
  beat(): void;
};

/** Sends heartbeats to all clients. To spread the load, it sends to a fifteenth of them each second. */
export class Heartbeats {
  readonly #slots: readonly Set<HeartbeatReceiver>[] = Array.from(
    { length: EVERY_SECONDS },
    () => new Set<HeartbeatReceiver>(),
  );
  readonly #slotOf = new Map<HeartbeatReceiver, number>();
  #second = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(
    /** Called every second, after that second’s heartbeats were sent. */
    private readonly onSecond: () => void,
  ) {}

  start(): void {
    this.#timer = setInterval(() => this.#tick(), 1_000).unref();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  /** Adds a client. Its first heartbeat is sent after 15 seconds. */
  add(receiver: HeartbeatReceiver): void {
    this.#slotOf.set(receiver, this.#second);
    this.#slots[this.#second]?.add(receiver);
  }

  remove(receiver: HeartbeatReceiver): void {
    this.#slots[this.#slotOf.get(receiver) ?? 0]?.delete(receiver);
    this.#slotOf.delete(receiver);
  }

  #tick() {
    this.#second = (this.#second + 1) % EVERY_SECONDS;
    for (const receiver of this.#slots[this.#second] ?? []) receiver.beat();
    this.onSecond();
  }
}
