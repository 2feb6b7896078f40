import { z } from 'zod';

/** What a person let a program do, as clients see it. */
const GrantEntry = z
  .object({
    id: z.string(),
    client: z.object({
      id: z.string().meta({ description: 'As it registered, or the address of its metadata document.' }),
      name: z.string().meta({ description: 'As it names itself.' }),
    }),
    scopes: z.array(z.enum(['read', 'publish', 'manage'])),
    sites: z
      .array(z.string())
      .nullable()
      .meta({ description: 'Slugs of the sites that you chose; null for all of yours, those to come included.' }),
    createdAt: z.string(),
    lastUsedAt: z.string(),
    expiresAt: z.string().meta({ description: 'When it ends if it is not used again.' }),
  })
  .meta({ id: 'Grant' });

export const GrantList = z.object({ items: z.array(GrantEntry) }).meta({ id: 'GrantList' });

export type GrantShown = z.output<typeof GrantEntry>;
