import { z } from 'zod';
import { deployName } from '../summary-words.js';
import { siteEventType } from './site-event-type.js';

/** A server exited by itself or never responded. Only the first of several consecutive crashes is recorded. */
export const SiteServerCrashed = siteEventType(
  'SiteServerCrashed',
  z.strictObject({
    deployId: z.string(),
    /** An explanation for the site’s owners. Contains none of the server's output. */
    reason: z.string(),
  }),
  {
    example: { deployId: 'dep_1', reason: 'It ended with exit code 1.' },
    changes: null,
    summary: (data, { names }) => `The server for ${deployName(data, names)} crashed: ${data.reason}`,
  },
);

export const serverEvents = [SiteServerCrashed] as const;
