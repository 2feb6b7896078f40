import { z } from 'zod';

const GrantEntry = z
  .object({
    id: z.string(),
    client: z.object({
      id: z.string().meta({
        description: 'Client ID that the app received when it registered, or the URL of its metadata document.',
      }),
      name: z.string().meta({ description: 'Name that the app chose for itself.' }),
    }),
    scopes: z.array(z.enum(['read', 'publish', 'manage'])),
    sites: z.array(z.string()).nullable().meta({
      description: 'Slugs of the sites that you selected, or null for all of your sites, including future ones.',
    }),
    createdAt: z.string(),
    lastUsedAt: z.string(),
    expiresAt: z.string().meta({ description: 'Time at which the grant expires if the app does not use it again.' }),
  })
  .meta({ id: 'Grant' });

export const GrantList = z.object({ items: z.array(GrantEntry) }).meta({ id: 'GrantList' });

export type GrantShown = z.output<typeof GrantEntry>;
