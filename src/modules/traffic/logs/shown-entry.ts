import { z } from 'zod';
import type { NameOf, TrafficActor } from '../../../kernel/ports/traffic-sites.js';
import { type LogEntry, logKinds, logLevels, messageOf } from '../../../tables/traffic/site-log/log-entry.js';

/** An entry of a log, as clients get it. */
export const ShownEntry = z
  .looseObject({
    id: z.string().meta({ description: 'Digits. Greater than that of every entry that was there before.' }),
    at: z.string(),
    kind: z.enum(logKinds),
    level: z.enum(logLevels),
    message: z.string().meta({ description: 'What happened, in one line.' }),
    method: z.string().optional(),
    path: z.string().optional().meta({ description: 'Decoded, without the query.' }),
    status: z.number().int().optional(),
    hits: z
      .number()
      .int()
      .optional()
      .meta({ description: 'Requests that it stands for, where that is more than one.' }),
    bytes: z.number().int().optional().meta({ description: 'Of content that was sent, of all hits together.' }),
    ms: z.number().optional().meta({ description: 'Until the answer was sent; of several hits the mean.' }),
    referrer: z.string().optional().meta({ description: 'The host alone, where it is another site’s.' }),
    client: z.string().optional().meta({ description: '`person`, `robot`, `prefetch` or `probe`.' }),
    visitor: z.string().optional().meta({
      description: 'The same for one visitor within a day (UTC), where visits are counted; never an address.',
    }),
    type: z.string().optional().meta({ description: 'The event of the history, or of the job, that it tells of.' }),
    actor: z
      .object({
        kind: z.string(),
        id: z.string().optional(),
        token: z.string().optional().meta({ description: 'The token that a script acted with, `tok_…`.' }),
        publisher: z
          .string()
          .optional()
          .meta({ description: 'The trusted publisher that the token came of, `pub_…`.' }),
        name: z.string().optional().meta({ description: 'Of a person or a script, as in the history.' }),
      })
      .optional()
      .meta({ description: 'Who did it.' }),
    deployId: z.string().optional(),
    jobId: z.string().optional(),
    eventsUrl: z.string().optional().meta({ description: 'Where the job is told, line by line.' }),
    step: z.string().optional(),
    commit: z.string().optional(),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
  })
  .meta({ id: 'LogEntry' });

export type ShownLogEntry = z.output<typeof ShownEntry>;

/** Who did what an entry tells; null where it does not say. */
export const actorIn = (entry: LogEntry): TrafficActor | null =>
  entry.kind === 'access' ? null : ((entry.data.actor as TrafficActor | undefined) ?? null);

/** `baseUrl` is the address of the service. */
export function shownEntry(entry: LogEntry, baseUrl: string, nameOf: NameOf = () => null): ShownLogEntry {
  const { id, at, kind, level } = entry;
  const all = { id: String(id), at, kind, level, message: messageOf(entry) };
  if (entry.kind !== 'access') {
    const { type, data } = entry;
    const { jobId } = data;
    const actor = actorIn(entry);
    const name = actor && nameOf(actor);
    return {
      ...all,
      ...(type !== null && { type }),
      ...data,
      ...(actor && name !== null && { actor: { kind: 'user', ...actor, name } }),
      ...(typeof jobId === 'string' && { eventsUrl: `${baseUrl}/v1/jobs/${jobId}/events` }),
    };
  }
  const { method, path, status, hits, bytes, ms, referrer, client, visitor } = entry;
  return {
    ...all,
    method,
    path,
    status,
    ...(hits > 1 && { hits }),
    bytes,
    ms: Math.round(ms * 10) / 10,
    ...(referrer !== null && { referrer }),
    client,
    ...(visitor !== null && { visitor }),
  };
}
