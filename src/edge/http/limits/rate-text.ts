import { formatBytes, plural } from '../../../kernel/output/quantities.js';
import type { Rate } from './rates.js';

const SUBJECTS: Readonly<Record<Rate['per'], string>> = {
  address: 'IP address',
  site: 'site',
  email: 'email address',
  user: 'user',
  'address and site': 'IP address and site',
};

const UNITS = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

/** Returns a sentence such as "The limit is 60 requests per hour for each site." */
export function rateText({ limit, seconds, per, counts }: Rate): string {
  return limitText(plural(limit, counts === 'failures' ? 'failed attempt' : 'request'), seconds, per);
}

/** Returns a sentence such as "The limit is 20 GiB per day for each IP address." */
export const byteRateText = ({ limit, seconds, per }: Rate): string => limitText(formatBytes(limit), seconds, per);

const limitText = (amount: string, seconds: number, per: Rate['per']) =>
  `The limit is ${amount} per ${windowText(seconds)} for each ${SUBJECTS[per]}.`;

function windowText(seconds: number): string {
  const [length, unit] = UNITS.find(([length]) => seconds % length === 0) ?? [1, 'second'];
  return seconds === length ? unit : plural(seconds / length, unit);
}
