import { formatBytes, plural } from '../../kernel/output/quantities.js';
import type { Rate } from './rates.js';

const SUBJECTS: Readonly<Record<Rate['per'], string>> = {
  address: 'IP address',
  site: 'site',
  email: 'e-mail address',
  user: 'user',
  'address and site': 'IP address and site',
};

const UNITS = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

/** "The limit is 60 requests per hour for each site." */
export function rateText({ name, limit, seconds, per, counts }: Rate): string {
  const amount = name.endsWith('-bytes')
    ? formatBytes(limit)
    : plural(limit, counts === 'failures' ? 'failed attempt' : 'request');
  return `The limit is ${amount} per ${windowText(seconds)} for each ${SUBJECTS[per]}.`;
}

function windowText(seconds: number): string {
  const [length, unit] = UNITS.find(([length]) => seconds % length === 0) ?? [1, 'second'];
  return seconds === length ? unit : plural(seconds / length, unit);
}
