import { progressOutput } from './log.js';

const WIDTH = 28;

/** A step of progress. `part` ranges from 0 to 1. */
export type ProgressStep = {
  readonly part: number;
  readonly text: string;
  /** Name of the phase. A new phase is shown immediately. */
  readonly phase: string;
  /** True if this is the last step of its phase. The next phase begins on a new line. */
  readonly isLast?: boolean;
};

/** Shows progress on standard error: a moving bar in a terminal, otherwise one line every `everyMs`. */
export function progressBar(everyMs = 2_000, out = progressOutput) {
  let said = 0;
  let before = { phase: '', text: '' };
  return ({ part, text, phase, isLast = false }: ProgressStep) => {
    if (text === before.text) return;
    const percent = `${Math.floor(part * 100)} %`.padStart(5);
    if (out.isTTY) {
      const done = Math.round(part * WIDTH);
      out.write(`\r\x1b[K[${'#'.repeat(done)}${'.'.repeat(WIDTH - done)}]${percent}  ${text}${isLast ? '\n' : ''}`);
    } else if (isLast || phase !== before.phase || performance.now() - said >= everyMs)
      out.write(`${percent}  ${text}\n`);
    else return;
    said = performance.now();
    before = { phase, text };
  };
}
