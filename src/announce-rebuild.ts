import type { Progress } from './projections/rebuilder.js';

const WIDTH = 28;

const whole = new Intl.NumberFormat('en');

/** `1:05`, minutes and seconds. */
const clock = (seconds: number) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;

/** What a rebuild tells of itself, for people: how far it is, how fast, how long it will take. */
export function sayer(now = () => performance.now()) {
  const began = now();
  return ({ models, phase, position, last, events }: Progress) => {
    const part = last === 0n ? 1 : Number(position) / Number(last);
    const seconds = (now() - began) / 1000;
    const names = models.join(', ');
    if (phase === 'indexing')
      return { part: 1, text: `${names}: ${whole.format(events)} events read; building indexes` };
    if (phase === 'swapping') return { part: 1, text: `${names}: catching up with what happened since, and swapping` };
    if (phase === 'comparing') return { part: 1, text: `${names}: comparing with the live tables` };
    const rate = Math.round(events / Math.max(seconds, 0.001));
    const left = part > 0 ? (seconds / part) * (1 - part) : 0;
    return { part, text: `${names}: ${whole.format(rate)} events/s, ${clock(left)} left` };
  };
}

/** Tells it on standard error: as a bar that moves on a terminal, as a line every `everyMs` elsewhere. */
export function announceRebuild(everyMs = 2_000, out: NodeJS.WriteStream = process.stderr) {
  let said = 0;
  let phase = '';
  let last = '';
  let say = sayer();
  return (progress: Progress) => {
    if (said === 0) say = sayer();
    const { part, text } = say(progress);
    if (text === last) return;
    last = text;
    const percent = `${Math.floor(part * 100)} %`.padStart(5);
    if (out.isTTY) {
      const done = Math.round(part * WIDTH);
      out.write(`\r\x1b[K[${'#'.repeat(done)}${'.'.repeat(WIDTH - done)}]${percent}  ${text}`);
      if (progress.phase === 'swapping' || progress.phase === 'comparing') out.write('\n');
    } else if (progress.phase !== phase || performance.now() - said >= everyMs) out.write(`${percent}  ${text}\n`);
    else return;
    said = performance.now();
    phase = progress.phase;
  };
}
