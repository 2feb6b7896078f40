export const slabBytes = 1024 * 1024;

/** Memory for records. It returns to the pool when its reference count reaches zero. */
export class Slab {
  #holders = 1;

  constructor(
    readonly bytes: Buffer,
    private readonly free: (slab: Slab) => void,
  ) {}

  retain(): void {
    this.#holders++;
  }

  /** Releases one reference. Must be called once for `acquire` and once for each `retain`. */
  release(): void {
    if (--this.#holders === 0) this.free(this);
  }
}

/**
 * Reuses slabs, because new memory is expensive. The first write to a memory page costs six times as much as later
 * writes, and allocating memory for a whole deploy triggers the next full garbage collection sooner.
 */
export class SlabPool {
  readonly #free: Buffer[] = [];

  constructor(private readonly keep: number) {}

  /** Returns a slab with arbitrary content. Only slabs of `slabBytes` are reused. */
  acquire(bytes: number): Slab {
    if (bytes !== slabBytes) return new Slab(Buffer.allocUnsafeSlow(bytes), () => undefined);
    return new Slab(this.#free.pop() ?? Buffer.allocUnsafeSlow(slabBytes), this.#release);
  }

  readonly #release = ({ bytes }: Slab) => {
    if (this.#free.length < this.keep) this.#free.push(bytes);
  };
}
