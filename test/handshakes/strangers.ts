// Sends `count` handshakes with unknown names: 200 per second, at most 50 at a time. Reports how many got a response.
import { constants, setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { visit } from './visit.ts';

const [port = 0, count = 0] = process.argv.slice(2).map(Number);
const AT_ONCE = 50;
/** Interval between handshakes. With a shorter one, this process would take too much of a machine with two cores. */
const EVERY_MS = 5;

// This process simulates other machines, so it must not take CPU time from the service and the visitor.
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
