import { headerBytes, type PackRecord } from '../packs/pack.format.js';

/** `start` is the offset of the record’s header, and `length` the size of the content, both in bytes. */
export type RecordLocation = { readonly pack: string; readonly start: number; readonly length: number };

export type LocatedRecord = RecordLocation & { readonly sha256: string };

/** Returns the locations of records that were written to a pack consecutively. */
export function computeRecordLocations(pack: string, start: number, records: readonly PackRecord[]): LocatedRecord[] {
  let at = start;
  return records.map(({ sha256, bytes }) => {
    const located = { sha256, pack, start: at, length: bytes.length - headerBytes };
    at += bytes.length;
    return located;
  });
}
