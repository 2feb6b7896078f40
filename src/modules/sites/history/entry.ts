import { z } from 'zod';
import { summaryOf } from '../../../events/site/site-summary.js';
import type { Recorded } from '../../../kernel/event-store.js';

export const HistoryEntry = z
  .object({
    id: z.string(),
    stream: z.string(),
    revision: z
      .number()
      .int()
      .meta({ description: 'Number of the event in the history of the site, starting at 1, without gaps.' }),
    position: z.string().meta({ description: 'Position of the event in the log of the service, in digits.' }),
    type: z.string(),
    schema: z.number().int(),
    at: z.string(),
    actor: z.record(z.string(), z.string()).meta({
      description:
        'Who caused the event: `kind`, and for a user `id`. If a connected app acted for the user, `client` is the name that the app gives itself and `grant` the ID of its grant. If a script acted, `token` is the ID of its access token and `publisher` the trusted publisher that the token came from. `name` is the current name of the actor: the user’s name, otherwise their e-mail address if the caller can see it in the list of members, otherwise “a member”; `CI “…”` for a script. It is added when the history is read and is not part of the hash.',
    }),
    summary: z.string(),
    data: z.record(z.string(), z.unknown()),
    hash: z.string(),
    previousHash: z.string().nullable(),
  })
  .meta({
    id: 'HistoryEntry',
    description:
      'Event in the history of a site. `hash` is the SHA-256 of the previous hash (64 hexadecimal digits, or nothing for the first event) and the canonical JSON (RFC 8785) of `{ actor, at, data, id, revision, schema, stream, type }`, with the actor without its `name`.',
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
