import { z } from 'zod';
import { LogsQuery } from './logs-query.js';

/** A submitted form. Empty fields are ignored. */
export const PageLogsQuery = z
  .record(z.string(), z.unknown())
  .transform((given) => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '')))
  .pipe(LogsQuery);
