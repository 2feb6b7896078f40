import { z } from 'zod';
import { uptimeOf } from '../board/shown-days.js';
import type { ShownPart, StatusSnapshot } from '../board/status-snapshot.js';
import { componentNames } from '../components.js';
import { IncidentAnswer, incidentAnswer } from '../incidents/incident-answer.js';

const PartStatusName = z.enum(['well', 'failing', 'unknown']);

const Uptime = z.number().min(0).max(100).nullable().meta({
  description: 'Per cent of the minutes that are known; null where none is.',
});

const Day = z.object({
  day: z.string().meta({ description: '`YYYY-MM-DD`, UTC.' }),
  well: z.number().int().meta({ description: 'Minutes in which every try went well.' }),
  failing: z.number().int().meta({ description: 'Minutes in which one failed.' }),
  unknown: z.number().int().meta({ description: 'Minutes in which nothing was tried, or no process ran.' }),
  uptime: Uptime,
});

export const StatusAnswer = z
  .object({
    status: PartStatusName.meta({ description: '`failing` if a part is; `unknown` if one is, and none fails.' }),
    at: z.string(),
    recordsAt: z.string().nullable().meta({ description: 'When the records were last read; null for never.' }),
    isCurrent: z.boolean().meta({ description: 'False while the records cannot be read: this is what was known.' }),
    probes: z.object({
      everySeconds: z.number().nullable().meta({ description: 'How often all is tried; null where nothing is.' }),
    }),
    components: z.array(
      z.object({
        name: z.enum(componentNames),
        title: z.string(),
        description: z.string(),
        status: PartStatusName,
        since: z.string().optional(),
        checkedAt: z.string().optional(),
        reason: z.string().optional().meta({ description: 'Why it fails, in a few words.' }),
        uptime: Uptime,
        days: z.array(Day).meta({ description: 'The last ninety, the oldest first.' }),
      }),
    ),
    incidents: z.array(IncidentAnswer).meta({ description: 'Open ones, and those of the last ninety days.' }),
    feedUrl: z.string(),
  })
  .meta({ id: 'Status' });

export const statusAnswer = (
  snapshot: StatusSnapshot,
  { everyMs, feedUrl }: { readonly everyMs: number | null; readonly feedUrl: string },
): z.output<typeof StatusAnswer> => ({
  status: snapshot.status,
  at: snapshot.at.toISOString(),
  recordsAt: snapshot.recordsAt?.toISOString() ?? null,
  isCurrent: snapshot.isCurrent,
  probes: { everySeconds: everyMs === null ? null : everyMs / 1_000 },
  components: snapshot.parts.map(partAnswer),
  incidents: snapshot.incidents.map(incidentAnswer),
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
  uptime: uptimeOf(days),
  days: days.map((day) => ({ ...day, uptime: uptimeOf([day]) })),
});
