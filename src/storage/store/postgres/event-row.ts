import type { RawEvent } from '../../../kernel/event-store.js';

/** Columns of the table `events`, in the order that scans expect. */
export const COLUMNS = 'position, stream, revision, id, type, schema, at, actor, data, hash, previous_hash';

export type EventRow = Omit<RawEvent, 'previousHash'> & {
  readonly position: string;
  readonly previous_hash: string | null;
};

export const toRaw = ({ position: _, previous_hash, ...stored }: EventRow): RawEvent => ({
  ...stored,
  previousHash: previous_hash,
});
