/** Size of slabs that are reused, in bytes. */
export const slabBytes = 1024 * 1024;

/** Memory for records. Has a reference count, and returns to the pool when the count reaches zero. */
export class Slab {
  #holders = 1;

  constructor(
    readonly bytes: Buffer,
    private readonly free: (slab: Slab) => void,
  ) {}

  retain(): void {
    this.#holders++;
  }

  /** Must be called once for each `retain`, and once for `acquire`. The bytes may then be reused. */
  release(): void {
    if (--this.#holders === 0) this.free(this);
  }
}

/**
 * A pool of reusable slabs. Allocating new memory pages costs six times as much as writing to them, and allocating
 * memory for a whole deploy triggers the next full garbage collection sooner.
 */
export class SlabPool {
  readonly #free: Buffer[] = [];

  /** `keep` is the maximum number of unused slabs to keep. */
  constructor(private readonly keep: number) {}

  /** Returns a slab of this size. Its content is undefined. Only slabs of `slabBytes` are reused. */
  acquire(bytes: number): Slab {
    if (bytes !== slabBytes) return new Slab(Buffer.allocUnsafeSlow(bytes), () => undefined);
    return new Slab(this.#free.pop() ?? Buffer.allocUnsafeSlow(slabBytes), this.#release);
  }

  readonly #release = ({ bytes }: Slab) => {
    if (this.#free.length < this.keep) this.#free.push(bytes);
  };
}
