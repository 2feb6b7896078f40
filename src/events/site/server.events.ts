import { z } from 'zod';
import { eventType } from '../event-type.js';
import { deployName } from '../summary-words.js';

/** A server exited by itself or never responded. Only the first of several consecutive crashes is recorded. */
export const SiteServerCrashed = eventType(
  'SiteServerCrashed',
  z.strictObject({
    deployId: z.string(),
    /** An explanation for the site’s owners. Contains none of the server's output. */
    reason: z.string(),
  }),
  { summary: (data, { names }) => `The server for ${deployName(data, names)} crashed: ${data.reason}` },
);

export const serverEvents = [SiteServerCrashed] as const;
