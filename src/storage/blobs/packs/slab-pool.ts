/** Size of slabs that are reused. */
export const slabBytes = 1024 * 1024;

/** Memory for records. Its holders are counted, and it returns to the pool when the last one releases it. */
export class Slab {
  #holders = 1;

  constructor(
    readonly bytes: Buffer,
    private readonly free: (slab: Slab) => void,
  ) {}

  retain(): void {
    this.#holders++;
  }

  /** Call this once for each `retain`, and once for `acquire`. After that, the bytes may be reused. */
  release(): void {
    if (--this.#holders === 0) this.free(this);
  }
}

/**
 * A pool of reusable slabs. Allocating the pages of new memory costs six times as much as writing to them, and the
 * memory for a whole deploy brings the next full garbage collection closer.
 */
export class SlabPool {
  readonly #free: Buffer[] = [];

  /** `keep` is the number of unused slabs that are kept. */
  constructor(private readonly keep: number) {}

  /** Returns a slab of this size with arbitrary content. Only slabs of `slabBytes` are reused. */
  acquire(bytes: number): Slab {
    if (bytes !== slabBytes) return new Slab(Buffer.allocUnsafeSlow(bytes), () => undefined);
    return new Slab(this.#free.pop() ?? Buffer.allocUnsafeSlow(slabBytes), this.#release);
  }

  readonly #release = ({ bytes }: Slab) => {
    if (this.#free.length < this.keep) this.#free.push(bytes);
  };
}
