// Simulates HTTPS visitors. Arguments: port, number of visitors, milliseconds between two visits. The message `{
// names }` starts visits to random names. The message `{ over: true }` requests the durations and failures.
import { setTimeout as pause } from 'node:timers/promises';
import { visit } from './visit.ts';

const [port = 0, atOnce = 0, pauseMs = 0] = process.argv.slice(2).map(Number);

/** Firefox's handshake timeout (`network.http.tls-handshake-timeout`). */
const PATIENCE_MS = 30_000;

const told: { times: number[]; failed: string[] } = { times: [], failed: [] };
let names: string[] = [];
let isOver = false;

async function goOn(): Promise<void> {
  while (!isOver) {
    const name = names[Math.floor(Math.random() * names.length)];
    if (name !== undefined) {
      const began = performance.now();
      try {
        const status = await visit(port, name, PATIENCE_MS);
        if (status !== 200) throw new Error(`status ${status}`);
        told.times.push(performance.now() - began);
      } catch (error) {
        told.failed.push(
          `${name} after ${Math.round(performance.now() - began)} ms: ${error instanceof Error ? error.message : error}`,
        );
      }
    }
    await pause(pauseMs);
  }
}

const all = Array.from({ length: atOnce }, goOn);
process.once('disconnect', () => process.exit());
process.on('message', async (message: { names?: string[]; over?: true }) => {
  if (message.names) names = message.names;
  if (!message.over) return;
  isOver = true;
  await Promise.all(all);
  process.send?.(told);
});
