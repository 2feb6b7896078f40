/** How often each connection is heard from, in seconds (contract, section 7). */
const EVERY_SECONDS = 15;

export type Beating = {
  /** Says that the connection lives, and asks whether it still may. It must not throw. */
  beat(): void;
};

/** Beats for all connections, a part of them each second, so that a crowd does not beat at once. */
export class Heartbeats {
  readonly #slots: readonly Set<Beating>[] = Array.from({ length: EVERY_SECONDS }, () => new Set<Beating>());
  readonly #slotOf = new Map<Beating, number>();
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
  add(beating: Beating): void {
    this.#slotOf.set(beating, this.#second);
    this.#slots[this.#second]?.add(beating);
  }

  remove(beating: Beating): void {
    this.#slots[this.#slotOf.get(beating) ?? 0]?.delete(beating);
    this.#slotOf.delete(beating);
  }

  #tick() {
    this.#second = (this.#second + 1) % EVERY_SECONDS;
    for (const beating of this.#slots[this.#second] ?? []) beating.beat();
    this.eachSecond();
  }
}
