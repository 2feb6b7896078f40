import { z } from 'zod';
import { eventType } from '../event-type.js';
import { deployName } from '../summary-words.js';

/** The program of a deploy ended by itself, or never came to answer. The first time of several in a row. */
export const SiteServerCrashed = eventType(
  'SiteServerCrashed',
  z.strictObject({
    deployId: z.string(),
    /** In words for the site’s owners; nothing that the program itself has said. */
    reason: z.string(),
  }),
  { summary: (data, { names }) => `The server for ${deployName(data, names)} crashed: ${data.reason}` },
);

export const serverEvents = [SiteServerCrashed] as const;
