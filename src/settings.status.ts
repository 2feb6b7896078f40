import { z } from 'zod';
import { duration } from './settings.forms.js';

/** How the service tries itself, for its status page. */
export abstract class StatusSettings {
  /** How often, in milliseconds; null where it does not. */
  abstract readonly everyMs: number | null;
  /** Where this process reaches what stands in front of all, if not by the base address; null for that. No path. */
  abstract readonly front: string | null;
  /** Where this process listens itself. */
  abstract readonly listener: { readonly host: string; readonly port: number };
  /** Whether this process answers on the hosts of sites too. */
  abstract readonly servesSites: boolean;
}

const EVERY = 'off, or seconds from 1s to 60s, such as 60s';

/** These settings as they stand in the environment. */
export const statusEnvironment = {
  STELE_STATUS_PROBES: z
    .union([z.literal('off').transform(() => null), duration.refine((ms) => ms <= 60_000)], { error: EVERY })
    .prefault('60s'),
  STELE_STATUS_FRONT: z
    .string()
    .regex(/^https?:\/\/[^/?#@\s]+$/, 'an address without a path, such as http://caddy:8080')
    .optional(),
};

const Status = z.object(statusEnvironment);

/** A process that listens on all its addresses reaches itself by that of its machine. */
const ALL: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

export const statusSettingsIn = (
  env: z.output<typeof Status>,
  { host, port, servesSites }: { readonly host: string; readonly port: number; readonly servesSites: boolean },
): StatusSettings => ({
  everyMs: env.STELE_STATUS_PROBES,
  front: env.STELE_STATUS_FRONT ?? null,
  listener: { host: ALL[host] ?? host, port },
  servesSites,
});
