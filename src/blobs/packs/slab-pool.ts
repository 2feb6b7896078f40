/** Of a slab that is used again, in bytes. */
export const slabBytes = 1024 * 1024;

/** Memory that records are made in. It belongs to whoever holds a part of it, and goes back when nobody does. */
export class Slab {
  #holders = 1;

  constructor(
    readonly bytes: Buffer,
    private readonly free: (slab: Slab) => void,
  ) {}

  retain(): void {
    this.#holders++;
  }

  /** Once for each `hold`, and once for having been given: its bytes may then be another's. */
  release(): void {
    if (--this.#holders === 0) this.free(this);
  }
}

/**
 * Slabs that are used again. The pages of new memory cost six times what is written into them, and a deploy’s worth of
 * it brings the next full garbage collection nearer.
 */
export class SlabPool {
  readonly #free: Buffer[] = [];

  /** `keep`: so many are kept while nobody needs them. */
  constructor(private readonly keep: number) {}

  /** One of `slabBytes` if that is asked for, else one of its own size. Its content is anything. */
  acquire(bytes: number): Slab {
    if (bytes !== slabBytes) return new Slab(Buffer.allocUnsafeSlow(bytes), () => undefined);
    return new Slab(this.#free.pop() ?? Buffer.allocUnsafeSlow(slabBytes), this.#release);
  }

  readonly #release = ({ bytes }: Slab) => {
    if (this.#free.length < this.keep) this.#free.push(bytes);
  };
}
