import { z } from 'zod';
import { computeUptime } from '../board/shown-days.js';
import type { ShownPart, StatusSnapshot } from '../board/status-snapshot.js';
import { componentNames } from '../components.js';
import { IncidentResponse, toIncidentResponse } from '../incidents/incident-response.js';

const PartStatusName = z.enum(['well', 'failing', 'unknown']);

const Uptime = z.number().min(0).max(100).nullable().meta({
  description: 'Percentage of minutes with a result that were successful, or null if there are no results.',
});

const Day = z.object({
  day: z.string().meta({ description: 'Day in UTC, as `YYYY-MM-DD`.' }),
  well: z.number().int().meta({ description: 'Minutes in which every probe succeeded.' }),
  failing: z.number().int().meta({ description: 'Minutes in which a probe failed.' }),
  unknown: z.number().int().meta({ description: 'Minutes in which no probe ran.' }),
  uptime: Uptime,
});

export const StatusResponse = z
  .object({
    status: PartStatusName.meta({
      description: '`failing` if a component is failing. Otherwise, `unknown` if the state of a component is unknown.',
    }),
    at: z.string(),
    recordsAt: z
      .string()
      .nullable()
      .meta({ description: 'Time at which the records were last read, or null if they have not been read yet.' }),
    isCurrent: z.boolean().meta({
      description: 'False while the records cannot be read. The response then contains the last known state.',
    }),
    probes: z.object({
      everySeconds: z
        .number()
        .nullable()
        .meta({ description: 'Interval between probes, or null if probing is disabled.' }),
    }),
    components: z.array(
      z.object({
        name: z.enum(componentNames),
        title: z.string(),
        description: z.string(),
        status: PartStatusName,
        since: z.string().optional(),
        checkedAt: z.string().optional(),
        reason: z.string().optional().meta({ description: 'Short reason why the component is failing.' }),
        uptime: Uptime,
        days: z.array(Day).meta({ description: 'The last 90 days, oldest first.' }),
      }),
    ),
    incidents: z.array(IncidentResponse).meta({ description: 'Open incidents, and incidents from the last 90 days.' }),
    feedUrl: z.string(),
  })
  .meta({ id: 'Status' });

export const toStatusResponse = (
  snapshot: StatusSnapshot,
  { everyMs, feedUrl }: { readonly everyMs: number | null; readonly feedUrl: string },
): z.output<typeof StatusResponse> => ({
  status: snapshot.status,
  at: snapshot.at.toISOString(),
  recordsAt: snapshot.recordsAt?.toISOString() ?? null,
  isCurrent: snapshot.isCurrent,
  probes: { everySeconds: everyMs === null ? null : everyMs / 1_000 },
  components: snapshot.parts.map(partAnswer),
  incidents: snapshot.incidents.map(toIncidentResponse),
  feedUrl,
});

const partAnswer = ({ name, title, means, status, since, checkedAt, reason, days }: ShownPart) => ({
  name,
  title,
  description: means,
  status,
  ...(since && { since: since.toISOString() }),
  ...(checkedAt && { checkedAt: checkedAt.toISOString() }),
  ...(reason !== null && { reason }),
  uptime: computeUptime(days),
  days: days.map((day) => ({ ...day, uptime: computeUptime([day]) })),
});
