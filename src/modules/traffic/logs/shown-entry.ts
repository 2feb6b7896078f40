import { z } from 'zod';
import type { KnownNames, Named } from '../../sites/api/actor-names.js';
import { formatLogMessage, type LogEntry, logKinds, logLevels } from '../api/log-entry.js';

export const ShownEntry = z
  .looseObject({
    id: z
      .string()
      .meta({ description: 'ID of the entry, a string of digits. Greater than the IDs of all earlier entries.' }),
    at: z.string(),
    kind: z.enum(logKinds),
    level: z.enum(logLevels),
    message: z.string().meta({ description: 'Description of the entry in one line.' }),
    method: z.string().optional(),
    path: z.string().optional().meta({ description: 'Decoded path of the request, without the query.' }),
    status: z.number().int().optional(),
    hits: z
      .number()
      .int()
      .optional()
      .meta({ description: 'Number of requests that this entry represents, if more than one.' }),
    bytes: z.number().int().optional().meta({ description: 'Bytes of content sent, in total for all hits.' }),
    ms: z
      .number()
      .optional()
      .meta({ description: 'Time until the response was sent, in milliseconds. For several hits, this is the mean.' }),
    referrer: z.string().optional().meta({ description: 'Host of the referrer, if it is a different site.' }),
    client: z.string().optional().meta({ description: 'Kind of client: `person`, `robot`, `prefetch` or `probe`.' }),
    visitor: z.string().optional().meta({
      description:
        'Pseudonym of the visitor, constant for one day (UTC). Present if analytics is enabled. It is never an IP address.',
    }),
    type: z.string().optional().meta({ description: 'Event type, as in the site’s history or the job’s events.' }),
    actor: z
      .object({
        kind: z.string(),
        id: z.string().optional(),
        token: z.string().optional().meta({ description: 'ID of the access token that a script used, `tok_…`.' }),
        publisher: z
          .string()
          .optional()
          .meta({ description: 'ID of the trusted publisher that the token belongs to, `pub_…`.' }),
        name: z.string().optional().meta({ description: 'Name of the user or script, as in the history.' }),
      })
      .optional()
      .meta({ description: 'User or script that caused the entry.' }),
    deployId: z.string().optional(),
    jobId: z.string().optional(),
    eventsUrl: z.string().optional().meta({ description: 'URL of the job’s event stream.' }),
    step: z.string().optional(),
    commit: z.string().optional(),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
  })
  .meta({ id: 'LogEntry' });

export type ShownLogEntry = z.output<typeof ShownEntry>;

export const readActor = (entry: LogEntry): Named | null =>
  entry.kind === 'access' ? null : ((entry.data.actor as Named | undefined) ?? null);

/** Converts a log entry to the form in which clients see it. `baseUrl` is the URL of the service. */
export function shownEntry(entry: LogEntry, baseUrl: string, nameOf: KnownNames['actor'] = () => null): ShownLogEntry {
  const { id, at, kind, level } = entry;
  const all = { id: String(id), at, kind, level, message: formatLogMessage(entry) };
  if (entry.kind !== 'access') {
    const { type, data } = entry;
    const { jobId } = data;
    const actor = readActor(entry);
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
