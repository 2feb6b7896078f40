import type { z } from 'zod';
import { summarizeEvent } from '../../../events/site/site-summary.js';
import type { KnownNames, Named } from '../api/actor-names.js';
import type { HistoryEntry } from './entry.js';

type NamedEntry = z.output<typeof HistoryEntry>;

/** Returns the IDs of the actor and of the objects that an entry is about. */
export const listNamed = ({ actor, data }: NamedEntry): Named[] => [
  actor,
  {
    ...(typeof data.userId === 'string' && { id: data.userId }),
    ...(typeof data.tokenId === 'string' && { token: data.tokenId }),
    ...(typeof data.publisherId === 'string' && { publisher: data.publisherId }),
    ...(typeof data.inviteId === 'string' && { invite: data.inviteId }),
    // Leave out the deploy's ID if the entry contains the deploy's number, as most do.
    ...(typeof data.deployId === 'string' && typeof data.number !== 'number' && { deploy: data.deployId }),
  },
];

export function withNames(entry: NamedEntry, names: KnownNames): NamedEntry {
  const name = names.actor(entry.actor);
  return { ...entry, summary: summarizeEvent(entry, names), actor: { ...entry.actor, ...(name !== null && { name }) } };
}
