import { headerBytes, type PackRecord } from '../packs/pack.format.js';

/** Where one content is: `start` is the offset of its record's header, `length` that of the content, both in bytes. */
export type Place = { readonly pack: string; readonly start: number; readonly length: number };

/** A content and where it is. */
export type Placed = Place & { readonly sha256: string };

/** Where records are that were written to a pack one after another. */
export function placesFrom(pack: string, start: number, records: readonly PackRecord[]): Placed[] {
  let at = start;
  return records.map(({ sha256, bytes }) => {
    const placed = { sha256, pack, start: at, length: bytes.length - headerBytes };
    at += bytes.length;
    return placed;
  });
}

/** Places by digest, the most recently used ones. A place may be out of date: whoever reads there checks the header. */
export class PlaceCache {
  readonly #places = new Map<string, Place>();

  constructor(readonly limit: number) {}

  get(sha256: string): Place | undefined {
    const place = this.#places.get(sha256);
    if (place) this.set(sha256, place);
    return place;
  }

  set(sha256: string, place: Place): void {
    this.#places.delete(sha256);
    this.#places.set(sha256, place);
    if (this.#places.size <= this.limit) return;
    const [oldest] = this.#places.keys();
    if (oldest !== undefined) this.#places.delete(oldest);
  }

  delete(sha256: string): void {
    this.#places.delete(sha256);
  }

  clear(): void {
    this.#places.clear();
  }
}
