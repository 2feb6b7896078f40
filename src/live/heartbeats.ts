/** How often each connection is heard from, in seconds (docs/interface.md, "Server-sent events"). */
const EVERY_SECONDS = 15;

export type HeartbeatReceiver = {
  /** Says that the connection lives, and asks whether it still may. It must not throw. */
  beat(): void;
};

/** Beats for all connections, a part of them each second, so that a crowd does not beat at once. */
export class Heartbeats {
  readonly #slots: readonly Set<HeartbeatReceiver>[] = Array.from(
    { length: EVERY_SECONDS },
    () => new Set<HeartbeatReceiver>(),
  );
  readonly #slotOf = new Map<HeartbeatReceiver, number>();
  #second = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(
    /** Called each second. */
    private readonly eachSecond: () => void,
  ) {}

  start(): void {
    this.#timer = setInterval(() => this.#tick(), 1_000).unref();
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  /** Its first beat is a full period away. */
  add(heartbeatReceiver: HeartbeatReceiver): void {
    this.#slotOf.set(heartbeatReceiver, this.#second);
    this.#slots[this.#second]?.add(heartbeatReceiver);
  }

  remove(heartbeatReceiver: HeartbeatReceiver): void {
    this.#slots[this.#slotOf.get(heartbeatReceiver) ?? 0]?.delete(heartbeatReceiver);
    this.#slotOf.delete(heartbeatReceiver);
  }

  #tick() {
    this.#second = (this.#second + 1) % EVERY_SECONDS;
    for (const beating of this.#slots[this.#second] ?? []) beating.beat();
    this.eachSecond();
  }
}
