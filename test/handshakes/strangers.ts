// Sends `count` handshakes with names that no site has, two hundred a second and at most fifty at a time. Reports how
// many got a response.
import { constants, setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { visit } from './visit.ts';

const [port = 0, count = 0] = process.argv.slice(2).map(Number);
const AT_ONCE = 50;
/** On two cores, a shorter interval would measure how they are shared with the flooding process. */
const EVERY_MS = 5;

// Simulates other machines, so its CPU time must not slow down the service and the visitor.
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
