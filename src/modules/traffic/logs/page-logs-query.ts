import { z } from 'zod';
import { LogsQuery } from './logs-query.js';

/** What a form sends: fields that were left empty ask for nothing. */
export const PageLogsQuery = z
  .record(z.string(), z.unknown())
  .transform((given) => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '')))
  .pipe(LogsQuery);
