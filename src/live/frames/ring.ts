import { type Frame, weightOf } from './frame.js';

/** What one ring holds at most, in characters and in frames. */
const MOST_WEIGHT = 1024 * 1024;
const MOST_FRAMES = 1_024;

/** How much all rings of the process hold together, in characters. A ring drops frames sooner while it is exceeded. */
export class RingBudget {
  held = 0;

  constructor(readonly limit: number) {}
}

/** The last frames of one stream, without a gap. The oldest are dropped when there is no more room; the newest never is. */
export class Ring {
  readonly #frames: Frame[] = [];
  #weight = 0;
  #start: number;

  /** An empty ring, whose first frame will be the one after revision `start`. */
  constructor(
    start: number,
    private readonly budget: RingBudget,
  ) {
    this.#start = start;
  }

  /** The revision of the last frame; `start` while there is none. */
  get head(): number {
    return this.#start + this.#frames.length;
  }

  /** Adds the next frame: its revision must be `head + 1`. */
  push(frame: Frame): void {
    this.#frames.push(frame);
    this.#hold(weightOf(frame));
    while (this.#frames.length > 1 && this.#isTooMuch()) this.#drop();
  }

  /** Whether no frame after this revision was dropped. */
  covers(after: number): boolean {
    return after >= this.#start;
  }

  /** The frames after a revision that it covers, at least one if there is one, then as many as make up `most` characters. */
  after(revision: number, most: number): readonly Frame[] {
    const first = revision - this.#start;
    let end = first;
    for (let weight = 0; end < this.#frames.length && weight < most; end++) {
      weight += weightOf(this.#frames[end] as Frame);
    }
    return this.#frames.slice(first, end);
  }

  /** Drops all frames, so that their room in the budget is free again. */
  empty(): void {
    while (this.#frames.length > 0) this.#drop();
  }

  #isTooMuch = () =>
    this.#frames.length > MOST_FRAMES || this.#weight > MOST_WEIGHT || this.budget.held > this.budget.limit;

  #drop() {
    const dropped = this.#frames.shift();
    if (!dropped) return;
    this.#start++;
    this.#hold(-weightOf(dropped));
  }

  #hold(weight: number) {
    this.#weight += weight;
    this.budget.held += weight;
  }
}
