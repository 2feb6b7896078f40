import { existsSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import type { Fault } from '../fault-points.js';
import { begin, giveRoom, report } from './reached-steps.ts';

/**
 * Listens for commands from a test, one line of JSON each: `{"begin": [fault]}` resets the counters and sets the
 * faults, and `{"giveRoom": true}` stops the faults. Each response lists the steps reached so far.
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
