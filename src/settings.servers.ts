import { totalmem } from 'node:os';
import process from 'node:process';
import { z } from 'zod';

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

/** These settings as they stand in the environment. */
export const serverEnvironment = {
  STELE_SERVER_IDLE: z.coerce.number().min(1).max(31_536_000).default(900),
  STELE_SERVERS: z.coerce.number().int().min(1).max(10_000).optional(),
  STELE_SERVER_MEMORY: z.coerce
    .number()
    .int()
    .min(64 * MEBIBYTE)
    .default(512 * MEBIBYTE),
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
