import { computeWeight, type Frame, isShown } from './frame.js';

/** Maximum size of a ring buffer, in characters and in frames. */
const MAX_WEIGHT = 1024 * 1024;
const MAX_FRAMES = 1_024;

/**
 * A budget in characters that all ring buffers of the process share. While it is exceeded, they drop frames earlier.
 */
export class RingBudget {
  held = 0;

  constructor(readonly limit: number) {}
}

/**
 * A ring buffer with the last frames of one stream, without gaps. When it is full, it drops the oldest frames, but
 * never the newest.
 */
export class Ring {
  readonly #frames: Frame[] = [];
  #weight = 0;
  #start: number;
  #shownDropped = 0;

  /** Creates an empty ring buffer. The first frame pushed must be the next one after revision `start`. */
  constructor(
    start: number,
    private readonly budget: RingBudget,
  ) {
    this.#start = start;
  }

  /** The ring contains every frame after this revision. */
  get start(): number {
    return this.#start;
  }

  /** The revision of the last frame, or `start` if the ring is empty. */
  get head(): number {
    return this.#frames.at(-1)?.revision ?? this.#start;
  }

  /** Adds the next frame. There must be no other frame between `head` and this one. */
  push(frame: Frame): void {
    this.#frames.push(frame);
    this.#hold(computeWeight(frame));
    while (this.#frames.length > 1 && this.#isTooMuch()) this.#drop();
  }

  /** Reports whether the ring still contains every frame after this revision. */
  covers(after: number): boolean {
    return after >= this.#start;
  }

  /**
   * Returns the frames after a revision, which the ring must cover. Returns up to about `most` characters, but at least
   * one frame if there are any.
   */
  after(revision: number, most: number): readonly Frame[] {
    const first = this.#indexAfter(revision);
    let end = first;
    for (let weight = 0; end < this.#frames.length && weight < most; end++) {
      weight += computeWeight(this.#frames[end] as Frame);
    }
    return this.#frames.slice(first, end);
  }

  /**
   * Returns the number of frames up to this revision that clients see, including those that the ring has dropped. The
   * ring must cover the revision.
   */
  shownUpTo(revision: number): number {
    return this.#shownDropped + this.#frames.slice(0, this.#indexAfter(revision)).filter(isShown).length;
  }

  /**
   * Returns a revision that is followed by exactly `count` frames that clients see. If the ring has fewer such frames,
   * returns `start`.
   */
  beforeNewest(count: number): number {
    let left = count;
    for (let at = this.#frames.length - 1; at >= 0; at--) {
      if (isShown(this.#frames[at] as Frame) && left-- === 0) return this.#frames[at]?.revision ?? this.#start;
    }
    return this.#start;
  }

  /** Drops all frames, which frees their part of the budget that all ring buffers share. */
  empty(): void {
    while (this.#frames.length > 0) this.#drop();
  }

  #isTooMuch = () =>
    this.#frames.length > MAX_FRAMES || this.#weight > MAX_WEIGHT || this.budget.held > this.budget.limit;

  /**
   * Returns the index of the first frame after a revision. First tries the index that is correct if no revision is
   * missing, because gaps are rare.
   */
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
    this.#hold(-computeWeight(dropped));
  }

  #hold(weight: number) {
    this.#weight += weight;
    this.budget.held += weight;
  }
}
