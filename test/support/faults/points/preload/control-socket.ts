import { existsSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import type { Fault } from '../fault-points.js';
import { begin, giveRoom, report } from './reached-steps.ts';

/**
 * Listens for a test's lines of JSON: `{"begin": [fault]}` resets the counters, `{"giveRoom": true}` ends faults, and
 * every line gets the steps reached so far as its response.
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
