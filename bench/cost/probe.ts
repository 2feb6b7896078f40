// Loaded into the product's process (`node --import`) to measure blocking of the event loop and retained memory. Uses
// CPU time of the main thread, so that other processes do not affect it.
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
  /** Longest time between two turns of the event loop since `begin`, in milliseconds. */
  hold: () => longest,
  /** Bytes in use after garbage collection. */
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
