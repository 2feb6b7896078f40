import { existsSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import type { Fault } from '../fault-points.js';
import { begin, giveRoom, report } from './reached-steps.ts';

/**
 * Listens for lines of JSON from a test: `{"begin": [fault]}` resets the counters, and `{"giveRoom": true}` stops
 * faults. The response to every line lists the steps reached so far.
 */
export function listen(address: string): void {
  if (existsSync(address)) rmSync(address);
  createServer((socket) => {
    socket.unref();
    socket.on('error', () => undefined);
    createInterface(socket).on('line', (line) => {
      const said: { giveRoom?: true; begin?: Fault[] } = JSON.parse(line);
      if (said.giveRoom) giveRoom();
      if (said.begin) begin(said.begin);
      socket.write(`${JSON.stringify(report())}\n`);
    });
  })
    .listen(address)
    .unref();
}
