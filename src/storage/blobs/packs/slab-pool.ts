/** Of a slab that is used again, in bytes. */
export const slabBytes = 1024 * 1024;

/**
 * Memory that records are made in. Its holders are counted, and it goes back to the pool when the last one releases it.
 */
export class Slab {
  #holders = 1;

  constructor(
    readonly bytes: Buffer,
    private readonly free: (slab: Slab) => void,
  ) {}

  retain(): void {
    this.#holders++;
  }

  /** To be called once for each `retain`, and once for `acquire`: its bytes may be reused from then on. */
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

  /** `keep`: how many slabs are kept while they are not in use. */
  constructor(private readonly keep: number) {}

  /** A slab of this many bytes, whose content is arbitrary. Only those of `slabBytes` are used again. */
  acquire(bytes: number): Slab {
    if (bytes !== slabBytes) return new Slab(Buffer.allocUnsafeSlow(bytes), () => undefined);
    return new Slab(this.#free.pop() ?? Buffer.allocUnsafeSlow(slabBytes), this.#release);
  }

  readonly #release = ({ bytes }: Slab) => {
    if (this.#free.length < this.keep) this.#free.push(bytes);
  };
}
