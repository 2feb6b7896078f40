import { z } from 'zod';
import { summaryOf } from '../../../events/site/site-summary.js';
import type { Recorded } from '../../../kernel/event-store.js';

export const HistoryEntry = z
  .object({
    id: z.string(),
    stream: z.string(),
    revision: z.number().int().meta({ description: 'Place in the site’s own history, from 1 without gaps.' }),
    position: z.string().meta({ description: 'Place in the whole log; digits.' }),
    type: z.string(),
    schema: z.number().int(),
    at: z.string(),
    actor: z.record(z.string(), z.string()).meta({
      description:
        '`kind`, and the `id` of a user; where a program acted for them `client`, as it names itself, and `grant`, by which it may; where a script did, `token`, and the `publisher` it came of. Pages of the history, and its stream, add `name`, as it is now, which is not recorded and not hashed: a name, else the address for those who see it among the members, else “a member”; CI “…” of a script.',
    }),
    summary: z.string(),
    data: z.record(z.string(), z.unknown()),
    hash: z.string(),
    previousHash: z.string().nullable(),
  })
  .meta({
    id: 'HistoryEntry',
    description:
      '`hash` is SHA-256 over the previous hash (its 64 digits; nothing for the first) and the canonical JSON (RFC 8785) of { actor, at, data, id, revision, schema, stream, type }, the actor without a `name`.',
  });

/** A recorded event of a site, as the history lists it. */
export function entryOf(event: Recorded): z.output<typeof HistoryEntry> {
  const { id, stream, revision, position, type, schema, at, actor, stored, hash, previousHash } = event;
  const data: Record<string, unknown> = JSON.parse(stored);
  return {
    id,
    stream,
    revision,
    position: String(position),
    type,
    schema,
    at,
    actor,
    summary: summaryOf({ type, data, actor }),
    data,
    hash: hash ?? '',
    previousHash,
  };
}
