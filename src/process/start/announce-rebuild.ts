import { formatNumber, plural } from '../../kernel/output/quantities.js';
import type { RebuildProgress } from '../../projections/rebuild/rebuild-progress.js';
import { progressOutput } from './log.js';
import { progressBar } from './progress-bar.js';

/** Formats a number of seconds as minutes and seconds, such as `1:05`. */
const clock = (seconds: number) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;

/** Returns a function that formats the position, speed and remaining time of a rebuild of read models. */
export function rebuildProgress(now = () => performance.now()) {
  const began = now();
  return ({ models, phase, position, last, events }: RebuildProgress) => {
    const part = last === 0n ? 1 : Number(position) / Number(last);
    const seconds = (now() - began) / 1000;
    const names = models.join(', ');
    if (phase === 'indexing') return { part: 1, text: `${names}: read ${plural(events, 'event')}; building indexes` };
    if (phase === 'swapping') return { part: 1, text: `${names}: applying newer events and swapping tables` };
    if (phase === 'comparing') return { part: 1, text: `${names}: comparing with the live tables` };
    const rate = Math.round(events / Math.max(seconds, 0.001));
    const left = part > 0 ? (seconds / part) * (1 - part) : 0;
    return { part, text: `${names}: ${formatNumber(rate)} events/s, ${clock(left)} left` };
  };
}

export function announceRebuild(everyMs = 2_000, out = progressOutput) {
  const show = progressBar(everyMs, out);
  let describe: ReturnType<typeof rebuildProgress> | undefined;
  return (progress: RebuildProgress) => {
    describe ??= rebuildProgress();
    const { phase } = progress;
    show({ ...describe(progress), phase, isLast: phase === 'swapping' || phase === 'comparing' });
  };
}
