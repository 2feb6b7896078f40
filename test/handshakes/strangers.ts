// So many handshakes with names that no site has attached, each with another one, two hundred a second, fifty at once
// at most; says how many of them were shown something.
import { constants, setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { visit } from './visit.ts';

const [port = 0, count = 0] = process.argv.slice(2).map(Number);
const AT_ONCE = 50;
/** Faster, and on two cores it measures how those are shared with the program that floods. */
const EVERY_MS = 5;

// It stands for other machines: what it costs to send must not be taken from the service and the visitor.
setPriority(constants.priority.PRIORITY_LOW);

let left = count;
let shown = 0;
const began = performance.now();
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    while (left > 0) {
      const n = left--;
      await pause(began + (count - n) * EVERY_MS - performance.now());
      await visit(port, `n${n}.stranger.com`, 30_000).then(
        () => shown++,
        () => undefined,
      );
    }
  }),
);
process.send?.({ shown, ms: performance.now() - began });
process.disconnect();
