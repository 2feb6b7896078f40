import { z } from 'zod';
import { eventType } from '../event-type.js';
import { deployName } from '../summary-words.js';

/**
 * The server of a deploy ended by itself or never responded. Only the first of several crashes in a row is recorded.
 */
export const SiteServerCrashed = eventType(
  'SiteServerCrashed',
  z.strictObject({
    deployId: z.string(),
    /** An explanation for the site’s owners, without any output of the server. */
    reason: z.string(),
  }),
  { summary: (data, { names }) => `The server for ${deployName(data, names)} crashed: ${data.reason}` },
);

export const serverEvents = [SiteServerCrashed] as const;
