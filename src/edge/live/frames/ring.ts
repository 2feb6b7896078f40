import { type Frame, isShown, weightOf } from './frame.js';

/** What one ring holds at most, in characters and in frames. */
const MOST_WEIGHT = 1024 * 1024;
const MOST_FRAMES = 1_024;

/** How much all rings of the process hold together, in characters. A ring drops frames sooner while it is exceeded. */
export class RingBudget {
  held = 0;

  constructor(readonly limit: number) {}
}

/**
 * The last frames of one stream, without one left out. The oldest are dropped when there is no more room; the newest
 * never is.
 */
export class Ring {
  readonly #frames: Frame[] = [];
  #weight = 0;
  #start: number;
  #shownDropped = 0;

  /** An empty ring, whose first frame will be the next one behind revision `start`. */
  constructor(
    start: number,
    private readonly budget: RingBudget,
  ) {
    this.#start = start;
  }

  /** The revision behind which it holds everything. */
  get start(): number {
    return this.#start;
  }

  /** The revision of the last frame; `start` while there is none. */
  get head(): number {
    return this.#frames.at(-1)?.revision ?? this.#start;
  }

  /** Adds the next frame: nothing is between `head` and its revision. */
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
    const first = this.#indexAfter(revision);
    let end = first;
    for (let weight = 0; end < this.#frames.length && weight < most; end++) {
      weight += weightOf(this.#frames[end] as Frame);
    }
    return this.#frames.slice(first, end);
  }

  /** How many frames that clients are shown it has had up to a revision that it covers, those that were dropped too. */
  shownUpTo(revision: number): number {
    return this.#shownDropped + this.#frames.slice(0, this.#indexAfter(revision)).filter(isShown).length;
  }

  /** The revision behind which so many frames are shown, or as many as it has. */
  beforeNewest(count: number): number {
    let left = count;
    for (let at = this.#frames.length - 1; at >= 0; at--) {
      if (isShown(this.#frames[at] as Frame) && left-- === 0) return this.#frames[at]?.revision ?? this.#start;
    }
    return this.#start;
  }

  /** Drops all frames, so that their room in the budget is free again. */
  empty(): void {
    while (this.#frames.length > 0) this.#drop();
  }

  #isTooMuch = () =>
    this.#frames.length > MOST_FRAMES || this.#weight > MOST_WEIGHT || this.budget.held > this.budget.limit;

  /** Where the first frame after a revision is. Mostly revisions have no gaps, and it is where it is expected. */
  #indexAfter(revision: number): number {
    const expected = revision - this.#start;
    if (this.#frames[expected - 1]?.revision === revision) return expected;
    let [low, high] = [0, this.#frames.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#frames[middle]?.revision ?? 0) > revision) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #drop() {
    const dropped = this.#frames.shift();
    if (!dropped) return;
    this.#start = dropped.revision;
    if (isShown(dropped)) this.#shownDropped++;
    this.#hold(-weightOf(dropped));
  }

  #hold(weight: number) {
    this.#weight += weight;
    this.budget.held += weight;
  }
}
