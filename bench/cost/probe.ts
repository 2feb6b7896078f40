// Loaded into the service beside the product (`node --import`): says how long it was held, and what it keeps. Times are of
// the main thread's own CPU, so that others on the machine do not make them longer.
const spent = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

let last = spent();
let longest = 0;

setInterval(() => {
  const now = spent();
  longest = Math.max(longest, now - last);
  last = now;
}, 1).unref();

export type Question = keyof typeof answers;

const answers = {
  begin() {
    last = spent();
    longest = 0;
    return null;
  },
  /** Milliseconds between two turns of the event loop, the longest since `begin`. */
  hold: () => longest,
  /** Bytes in use after all that can go is gone. */
  async memory() {
    for (let n = 0; n < 3; n++) {
      globalThis.gc?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  },
};

process.on('message', async ({ id, ask }: { id: number; ask: Question }) =>
  process.send?.({ id, answer: await answers[ask]() }),
);
process.channel?.unref();
