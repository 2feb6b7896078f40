import { z } from 'zod';
import { setting } from './declaration.js';
import { duration, url } from './forms.js';

export abstract class StatusSettings {
  /** Interval between probes of the service, or null if they are off. */
  abstract readonly everyMs: number | null;
  /** Internal URL of the reverse proxy in front of the service, without a path, or null to use the base URL. */
  abstract readonly front: string | null;
  abstract readonly listener: { readonly host: string; readonly port: number };
  abstract readonly servesSites: boolean;
}

export const statusEnvironment = {
  STELE_STATUS_PROBES: setting(
    z.union([z.literal('off').transform(() => null), duration.refine((ms) => ms <= 60_000)]).prefault('60s'),
    {
      description:
        'Interval between the self-tests whose results are shown on the [status page](operate.md#the-status-page).',
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
        'URL that the self-tests use to reach the service from inside the network, such as the URL of the reverse proxy. Over HTTPS, the certificate is checked against the host name of each request, not against the host of this URL.',
      form: 'an http or https URL without a path, such as http://caddy:8080',
      unset: '`STELE_BASE_URL`, or the process itself if that URL cannot be reached from inside the network',
    },
  ),
  STELE_STATUS_URL: setting(url.optional(), {
    description:
      'URL of the status page, as used in links. Stele serves the page at the path of this URL. If the URL has no path, the reverse proxy must forward requests for it to `/status`.',
    form: 'an http or https URL such as https://status.example.org',
    unset: '`{STELE_BASE_URL}/status`',
  }),
};

const Status = z.object(statusEnvironment);

/** If the process listens on all interfaces, it reaches itself through the loopback address. */
const ALL: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

export const readStatusSettings = (
  env: z.output<typeof Status>,
  { host, port, servesSites }: { readonly host: string; readonly port: number; readonly servesSites: boolean },
): StatusSettings => ({
  everyMs: env.STELE_STATUS_PROBES,
  front: env.STELE_STATUS_FRONT ?? null,
  listener: { host: ALL[host] ?? host, port },
  servesSites,
});
