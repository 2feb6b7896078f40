import { resolve } from 'node:path';
import { z } from 'zod';

/** What is kept of visits, and for how long. */
export abstract class TrafficSettings {
  /** Whole days that entries of requests are kept, besides the present one; 0 where none are shown. */
  abstract readonly accessKeptDays: number;
  /** Whole days that visits by hour and day are kept. */
  abstract readonly rollupsKeptDays: number;
  /** Absolute path of a MaxMind file that knows the countries of addresses; null for none. */
  abstract readonly geoip: string | null;
}

const days = (fallback: number, least: number) => z.coerce.number().int().min(least).max(3_650).default(fallback);

/** These settings as they stand in the environment. */
export const trafficEnvironment = {
  STELE_ACCESS_KEPT: days(7, 0),
  STELE_ROLLUPS_KEPT: days(730, 1),
  STELE_GEOIP: z.string().min(1).optional(),
};

const Traffic = z.object(trafficEnvironment);

export const trafficSettingsIn = (env: z.output<typeof Traffic>): TrafficSettings => ({
  accessKeptDays: env.STELE_ACCESS_KEPT,
  rollupsKeptDays: env.STELE_ROLLUPS_KEPT,
  geoip: env.STELE_GEOIP === undefined ? null : resolve(env.STELE_GEOIP),
});
