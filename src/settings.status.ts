import { z } from 'zod';
import { setting } from './settings.declaration.js';
import { duration, url } from './settings.forms.js';

/** Configuration of the self-tests for the status page. */
export abstract class StatusSettings {
  /** Interval between tests; null if they are off. */
  abstract readonly everyMs: number | null;
  /** URL of the proxy in front as reached from inside, without a path; null for the base URL. */
  abstract readonly front: string | null;
  /** Where this process itself listens. */
  abstract readonly listener: { readonly host: string; readonly port: number };
  /** Whether this process also serves sites. */
  abstract readonly servesSites: boolean;
}

/** Settings of the status page. */
export const statusEnvironment = {
  STELE_STATUS_PROBES: setting(
    z.union([z.literal('off').transform(() => null), duration.refine((ms) => ms <= 60_000)]).prefault('60s'),
    {
      description: 'Interval at which the service tests itself for its [status page](operate.md#the-status-page).',
      form: 'off, or an interval from 1s to 60s',
    },
  ),
  STELE_STATUS_FRONT: setting(
    z
      .string()
      .regex(/^https?:\/\/[^/?#@\s]+$/)
      .optional(),
    {
      description:
        'URL by which these tests reach the service from inside, such as that of the proxy in front. Over HTTPS the certificate is checked against the host name that is requested.',
      form: 'an http or https URL without a path, such as http://caddy:8080',
      unset: '`STELE_BASE_URL`, or the process itself if that cannot be reached from inside',
    },
  ),
  STELE_STATUS_URL: setting(url.optional(), {
    description:
      'Public URL of the status page, to which the service links. The page is also served at the path of this URL.',
    form: 'an http or https URL such as https://status.example.org',
    unset: '`{STELE_BASE_URL}/status`',
  }),
};

const Status = z.object(statusEnvironment);

/** A process that listens on all interfaces reaches itself by the loopback address. */
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
