import { resolve } from 'node:path';
import { z } from 'zod';
import { setting } from './declaration.js';
import { duration, SIZE_FORM, size } from './forms.js';

export abstract class TrafficSettings {
  /** Number of whole days before today for which request entries are kept. If it is 0, none are shown. */
  abstract readonly accessKeptDays: number;
  /** Maximum size of the request entries that are stored for each site in a day. */
  abstract readonly accessBytesPerDay: number;
  /** Number of whole days for which daily figures are kept. */
  abstract readonly rollupsKeptDays: number;
  /** Absolute path of a MaxMind database of countries, or null for none. */
  abstract readonly geoip: string | null;
}

const days = (fallback: number, least: number) => z.coerce.number().int().min(least).max(3_650).default(fallback);

export const trafficEnvironment = {
  STELE_ACCESS_KEPT: setting(days(7, 0), {
    description:
      'Number of whole days before today for which the requests to sites are kept in the access log. If the value is 0, no requests are shown. See [privacy.md](privacy.md).',
    form: 'an integer from 0 to 3650',
    unit: 'days',
  }),
  STELE_ACCESS_BYTES_PER_DAY: setting(size(64 * 2 ** 20), {
    description:
      'Maximum size of the access log entries that are stored per site and day (UTC). Once it is reached, further requests are not logged, only counted.',
    form: SIZE_FORM,
    unit: 'bytes',
  }),
  STELE_ROLLUPS_KEPT: setting(days(730, 1), {
    description:
      'Number of days for which daily [analytics](guides/analytics.md) figures are kept. Hourly figures are kept for at most 62 days.',
    form: 'an integer from 1 to 3650',
    unit: 'days',
  }),
  STELE_GEOIP: setting(z.string().min(1).optional(), {
    description:
      'MaxMind database that maps IP addresses to countries, such as `GeoLite2-Country.mmdb`. The file is read on startup and kept in memory.',
    form: 'a path',
    unset: 'countries are not recorded',
  }),
  STELE_STREAMS_KEPT: setting(duration.prefault('30d'), {
    description: 'Time for which the logs of jobs and command-line runs are kept after the job or run has ended.',
    form: 'a number followed by s, m, h or d, such as 30d',
  }),
  STELE_CONNECTOR_LEASE_SECONDS: setting(z.coerce.number().min(0.5).max(3_600).default(60), {
    description:
      'Time within which a [connector](guides/connector.md) agent has to send a result or partial result. After that, its work is assigned again.',
    form: 'a number from 0.5 to 3600',
    unit: 'seconds',
  }),
};

const Traffic = z.object(trafficEnvironment);

export const readTrafficSettings = (env: z.output<typeof Traffic>): TrafficSettings => ({
  accessKeptDays: env.STELE_ACCESS_KEPT,
  accessBytesPerDay: env.STELE_ACCESS_BYTES_PER_DAY,
  rollupsKeptDays: env.STELE_ROLLUPS_KEPT,
  geoip: env.STELE_GEOIP === undefined ? null : resolve(env.STELE_GEOIP),
});
