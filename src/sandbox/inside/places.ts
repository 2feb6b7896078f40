import { MACHINE, OF_MACHINE } from '../tools/machine.js';

/** Where things are inside. */
export const INSIDE = {
  workTree: '/workspace',
  home: '/home/build',
  temporary: '/tmp',
  tools: '/opt/tools',
  cache: '/cache',
  proxy: '/run/proxy.sock',
} as const;

export const ofMachine = (name: keyof typeof OF_MACHINE) => `${INSIDE.tools}/${MACHINE}/${OF_MACHINE[name]}`;

/** What is run inside before a command and beside it. */
export const FORWARDER = [ofMachine('node'), ofMachine('inside')] as const;

/** At most so much of `/dev/shm`. */
export const SHARED_MEMORY_BYTES = 64 * 1_048_576;
