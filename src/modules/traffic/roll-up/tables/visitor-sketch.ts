/** Maximum number of visitors that a sketch stores exactly, in eight bytes each. */
export const EXACT = 1_024;

/**
 * Number of bits that select a register. There is one byte for each of 2^11 registers. The standard error is 1.04 ÷
 * √2048, which is 2.3 %.
 */
const INDEX_BITS = 11;
const REGISTERS = 2 ** INDEX_BITS;
const REST_BITS = 64 - INDEX_BITS;
const HASH = 8;

/** The first byte of a sketch identifies its format: a list of eight-byte hashes, or registers. */
export const HASHES_FOLLOW = 0;
export const REGISTERS_FOLLOW = 1;

/**
 * Counts distinct visitors by evenly distributed hashes: exactly up to `EXACT`, and beyond that with HyperLogLog in 2
 * KiB. When sketches are merged, a visitor in several of them counts once. `remake-hours.ts` creates the same format in
 * PostgreSQL.
 */
export class VisitorSketch {
  readonly #hashes = new Set<string>();
  #registers: Uint8Array | null = null;

  /** Adds the visitors of another sketch, given in the format of `toBytes`. */
  merge(sketch: Uint8Array): this {
    const bytes = Buffer.from(sketch.buffer, sketch.byteOffset + 1, Math.max(0, sketch.byteLength - 1));
    if (sketch[0] === REGISTERS_FOLLOW) this.#raise(bytes);
    else for (let at = 0; at + HASH <= bytes.length; at += HASH) this.#add(bytes.toString('latin1', at, at + HASH));
    return this;
  }

  /** Adds a visitor by the eight-byte hash that PostgreSQL stores as a bigint. */
  add(visitor: bigint): this {
    const bytes = Buffer.alloc(HASH);
    bytes.writeBigInt64BE(visitor);
    this.#add(bytes.toString('latin1'));
    return this;
  }

  /** Returns the number of visitors, which is approximate beyond `EXACT`. */
  count(): number {
    return this.#registers ? Math.round(estimate(this.#registers)) : this.#hashes.size;
  }

  toBytes(): Buffer {
    if (this.#registers) return Buffer.concat([Buffer.of(REGISTERS_FOLLOW), this.#registers]);
    return Buffer.concat([Buffer.of(HASHES_FOLLOW), Buffer.from([...this.#hashes].sort().join(''), 'latin1')]);
  }

  #add(hash: string) {
    if (this.#registers) return raise(this.#registers, hash);
    this.#hashes.add(hash);
    if (this.#hashes.size > EXACT) this.#toRegisters();
  }

  #raise(others: Uint8Array) {
    const own = this.#toRegisters();
    for (let n = 0; n < REGISTERS; n++) own[n] = Math.max(own[n] ?? 0, others[n] ?? 0);
  }

  #toRegisters(): Uint8Array {
    if (this.#registers) return this.#registers;
    const registers = new Uint8Array(REGISTERS);
    for (const hash of this.#hashes) raise(registers, hash);
    this.#hashes.clear();
    this.#registers = registers;
    return registers;
  }
}

/**
 * Adds a hash. Its first bits select a register, which stores the largest number of leading zeros of the remaining
 * bits, plus one.
 */
function raise(registers: Uint8Array, hash: string) {
  const bytes = Buffer.from(hash, 'latin1');
  const index = bytes.readUInt16BE(0) >>> (16 - INDEX_BITS);
  const rest = bytes.readBigUInt64BE(0) & ((1n << BigInt(REST_BITS)) - 1n);
  const rank = rest === 0n ? REST_BITS + 1 : REST_BITS - rest.toString(2).length + 1;
  if (rank > (registers[index] ?? 0)) registers[index] = rank;
}

/**
 * Estimates the number of visitors with the improved estimator by Otmar Ertl, "New cardinality estimation algorithms
 * for HyperLogLog sketches" (2017), algorithm 6. It requires no tables and does not switch between formulas.
 */
function estimate(registers: Uint8Array): number {
  const counts = new Array<number>(REST_BITS + 2).fill(0);
  for (const rank of registers) counts[rank] = (counts[rank] ?? 0) + 1;
  let sum = REGISTERS * tau(1 - (counts[REST_BITS + 1] ?? 0) / REGISTERS);
  for (let rank = REST_BITS; rank >= 1; rank--) sum = 0.5 * (sum + (counts[rank] ?? 0));
  sum += REGISTERS * sigma((counts[0] ?? 0) / REGISTERS);
  return ((REGISTERS / (2 * Math.LN2)) * REGISTERS) / sum;
}

function sigma(x: number): number {
  if (x === 1) return Number.POSITIVE_INFINITY;
  let [power, y, sum] = [x, 1, x];
  for (let before = Number.NaN; before !== sum; y *= 2) {
    before = sum;
    power *= power;
    sum += power * y;
  }
  return sum;
}

function tau(x: number): number {
  if (x === 0 || x === 1) return 0;
  let [root, y, sum] = [x, 1, 1 - x];
  for (let before = Number.NaN; before !== sum; ) {
    before = sum;
    root = Math.sqrt(root);
    y *= 0.5;
    sum -= (1 - root) ** 2 * y;
  }
  return sum / 3;
}
