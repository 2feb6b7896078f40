import type { z } from 'zod';
import { summaryOf } from '../../../events/site/site-summary.js';
import type { KnownNames, NamedActor } from './actor-names.js';
import type { HistoryEntry } from './entry.js';

type NamedEntry = z.output<typeof HistoryEntry>;

/** Whom an entry names: who did it, and whom or what it is about. */
export const namedIn = ({ actor, data: { userId, tokenId, publisherId } }: NamedEntry): NamedActor[] => [
  actor,
  {
    ...(typeof userId === 'string' && { id: userId }),
    ...(typeof tokenId === 'string' && { token: tokenId }),
    ...(typeof publisherId === 'string' && { publisher: publisherId }),
  },
];

/** An entry with the names of those whom it names, as they are now. */
export function withNames(entry: NamedEntry, names: KnownNames): NamedEntry {
  const name = names.actor(entry.actor);
  return { ...entry, summary: summaryOf(entry, names), actor: { ...entry.actor, ...(name !== null && { name }) } };
}
