import { progressOutput } from './log.js';

const WIDTH = 28;

/** How far something is, from 0 to 1, and the text beside it. */
export type ProgressStep = {
  readonly part: number;
  readonly text: string;
  /** What is being done; a new phase is shown at once. */
  readonly phase: string;
  /** The last step of this phase: the next phase has a line of its own. */
  readonly isLast?: boolean;
};

/** Shows progress on standard error: as a bar that moves on a terminal, elsewhere as a line every `everyMs`. */
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
