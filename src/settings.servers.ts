import { totalmem } from 'node:os';
import process from 'node:process';
import { z } from 'zod';
import { setting } from './settings.declaration.js';

/** How the programs of sites run. */
export abstract class ServerSettings {
  /** Without a request for so long a program sleeps. Milliseconds. */
  abstract readonly idleMs: number;
  /** How many run at once in one process that runs any. */
  abstract readonly atOnce: number;
  /** What one program may have, in bytes. */
  abstract readonly memoryBytes: number;
  /** Where others of the service reach the programs of this process: the address that it listens at. */
  abstract readonly host: string;
  /** Whether there may be others. */
  abstract readonly hasPeers: boolean;
}

const MEBIBYTE = 1_048_576;

/** What a usual program takes (a server of Next.js: 149 MiB), with room to spare: half of the memory is shared out so. */
const USUAL_BYTES = 256 * MEBIBYTE;

/** Settings of the servers of sites. */
export const serverEnvironment = {
  STELE_SERVERS: setting(z.coerce.number().int().min(1).max(10_000).optional(), {
    description: 'Maximum number of servers that one process runs at once.',
    form: 'an integer from 1 to 10000',
    unset: 'half of the available memory divided by 256 MiB, but at least 1',
  }),
  STELE_SERVER_IDLE: setting(z.coerce.number().min(1).max(31_536_000).default(900), {
    description: 'Time without a request after which a server is put to sleep. The next visitor starts it again.',
    form: 'a number from 1 to 31536000',
    unit: 'seconds',
  }),
  STELE_SERVER_MEMORY: setting(
    z.coerce
      .number()
      .int()
      .min(64 * MEBIBYTE)
      .default(512 * MEBIBYTE),
    {
      description: 'Memory of one server.',
      form: 'an integer of at least 67108864',
      unit: 'bytes',
    },
  ),
};

const Servers = z.object(serverEnvironment);

export const serverSettingsIn = (
  env: z.output<typeof Servers>,
  { host, hasPeers }: Pick<ServerSettings, 'host' | 'hasPeers'>,
): ServerSettings => ({
  idleMs: env.STELE_SERVER_IDLE * 1_000,
  atOnce: env.STELE_SERVERS ?? Math.max(1, Math.floor(memoryBytes() / 2 / USUAL_BYTES)),
  memoryBytes: env.STELE_SERVER_MEMORY,
  host,
  hasPeers,
});

/** What this process and all that it starts may have: a container may be given less than the machine has. */
function memoryBytes(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}
