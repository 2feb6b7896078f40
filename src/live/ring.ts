import { type Frame, weightOf } from './frame.js';

/** The last frames of one stream, for those who are nearly there. Characters and frames. */
const MOST_WEIGHT = 1024 * 1024;
const MOST_FRAMES = 1_024;

/** What all rings of the process may hold together, in characters: a stream that nobody crowds has less when others need more. */
export class RingBudget {
  held = 0;

  constructor(readonly most: number) {}
}

/** Frames without a gap, the oldest dropped as new ones come. */
export class Ring {
  readonly #frames: Frame[] = [];
  #weight = 0;
  #start: number;

  /** It begins after revision `start`. */
  constructor(
    start: number,
    private readonly budget: RingBudget,
  ) {
    this.#start = start;
  }

  /** The revision of the last frame. */
  get head(): number {
    return this.#start + this.#frames.length;
  }

  push(frame: Frame): void {
    this.#frames.push(frame);
    this.#hold(weightOf(frame));
    while (this.#frames.length > 1 && this.#isTooMuch()) this.#drop();
  }

  /** Whether it has everything after this revision. */
  covers(after: number): boolean {
    return after >= this.#start;
  }

  /** The frames after a revision that it covers, about `most` characters of them, but at least one. */
  after(revision: number, most: number): readonly Frame[] {
    const first = revision - this.#start;
    let end = first;
    for (let weight = 0; end < this.#frames.length && weight < most; end++) {
      weight += weightOf(this.#frames[end] as Frame);
    }
    return this.#frames.slice(first, end);
  }

  /** Gives its room back. */
  empty(): void {
    while (this.#frames.length > 0) this.#drop();
  }

  #isTooMuch = () =>
    this.#frames.length > MOST_FRAMES || this.#weight > MOST_WEIGHT || this.budget.held > this.budget.most;

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
