import { MACHINE, OF_MACHINE } from '../tools/machine.js';

export const INSIDE = {
  workTree: '/workspace',
  home: '/home/build',
  temporary: '/tmp',
  tools: '/opt/tools',
  cache: '/cache',
  proxy: '/run/proxy.sock',
} as const;

export const ofMachine = (name: keyof typeof OF_MACHINE) => `${INSIDE.tools}/${MACHINE}/${OF_MACHINE[name]}`;

/** Command line of the program that runs alongside each command. */
export const FORWARDER = [ofMachine('node'), ofMachine('inside')] as const;

export const SHARED_MEMORY_BYTES = 64 * 1_048_576;
