import { headerBytes, type PackRecord } from '../packs/pack.format.js';

/** Where one content is: `start` is the offset of its record's header, `length` that of the content, both in bytes. */
export type RecordLocation = { readonly pack: string; readonly start: number; readonly length: number };

/** A content and where it is. */
export type LocatedRecord = RecordLocation & { readonly sha256: string };

/** Where records are that were written to a pack one after another. */
export function locationsFrom(pack: string, start: number, records: readonly PackRecord[]): LocatedRecord[] {
  let at = start;
  return records.map(({ sha256, bytes }) => {
    const located = { sha256, pack, start: at, length: bytes.length - headerBytes };
    at += bytes.length;
    return located;
  });
}

/**
 * Locations by digest, the most recently used ones. One may be out of date: readers check the header that stands there.
 */
export class RecordLocationCache {
  readonly #locations = new Map<string, RecordLocation>();

  constructor(readonly limit: number) {}

  get(sha256: string): RecordLocation | undefined {
    const location = this.#locations.get(sha256);
    if (location) this.set(sha256, location);
    return location;
  }

  set(sha256: string, location: RecordLocation): void {
    this.#locations.delete(sha256);
    this.#locations.set(sha256, location);
    if (this.#locations.size <= this.limit) return;
    const [oldest] = this.#locations.keys();
    if (oldest !== undefined) this.#locations.delete(oldest);
  }

  delete(sha256: string): void {
    this.#locations.delete(sha256);
  }

  clear(): void {
    this.#locations.clear();
  }
}
