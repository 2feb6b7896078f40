import { z } from 'zod';
import { componentNames } from '../components.js';
import type { Incident } from './incidents.js';

export const IncidentStatusName = z.enum(['investigating', 'identified', 'monitoring', 'resolved']);

const Update = z.object({
  at: z.string(),
  status: IncidentStatusName,
  body: z.string().meta({ description: 'Markdown.' }),
});

export const IncidentResponse = z
  .object({
    id: z.string(),
    title: z.string(),
    components: z.array(z.enum(componentNames)),
    status: IncidentStatusName,
    createdAt: z.string(),
    updatedAt: z.string(),
    updates: z.array(Update).meta({ description: 'Updates to the incident, newest first.' }),
  })
  .meta({ id: 'Incident' });

/** Converts an incident for the API. Omits components that this version does not know. */
export const toIncidentResponse = (incident: Incident): z.output<typeof IncidentResponse> => ({
  id: incident.id,
  title: incident.title,
  components: componentNames.filter((name) => incident.components.includes(name)),
  status: incident.status,
  createdAt: incident.createdAt.toISOString(),
  updatedAt: (incident.updates[0]?.at ?? incident.createdAt).toISOString(),
  updates: incident.updates.map(({ at, status, body }) => ({ at: at.toISOString(), status, body })),
});
