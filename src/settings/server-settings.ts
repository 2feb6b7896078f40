import { totalmem } from 'node:os';
import process from 'node:process';
import { z } from 'zod';
import { setting } from './declaration.js';
import { bytes, SIZE_FORM } from './forms.js';

export abstract class ServerSettings {
  /** Time without a request after which a site’s server is put to sleep. */
  abstract readonly idleMs: number;
  /** Maximum number of running site servers per process. */
  abstract readonly atOnce: number;
  abstract readonly memoryBytes: number;
  /** Address on which this process listens, and at which other processes can reach the site servers that it runs. */
  abstract readonly host: string;
  /** Whether other processes of this service may exist. */
  abstract readonly hasPeers: boolean;
}

const MEBIBYTE = 1_048_576;

/**
 * Assumed memory use of a site server, from which the default number of servers is computed. A Next.js server uses
 * about 149 MiB. The larger figure leaves headroom.
 */
const USUAL_BYTES = 256 * MEBIBYTE;

export const serverEnvironment = {
  STELE_SERVERS: setting(z.coerce.number().int().min(1).max(10_000).optional(), {
    description: 'Maximum number of site servers that each process runs at the same time.',
    form: 'an integer from 1 to 10000',
    unset: 'half of the available memory divided by 256 MiB, but at least 1',
  }),
  STELE_SERVER_IDLE: setting(z.coerce.number().min(1).max(31_536_000).default(900), {
    description: 'Time without requests after which a site server is put to sleep. The next visitor starts it again.',
    form: 'a number from 1 to 31536000',
    unit: 'seconds',
  }),
  STELE_SERVER_MEMORY: setting(bytes.refine((each) => each >= 64 * MEBIBYTE).default(512 * MEBIBYTE), {
    description: 'Memory limit for each site server.',
    form: `${SIZE_FORM}, of at least 64 MiB`,
    unit: 'bytes',
  }),
};

const Servers = z.object(serverEnvironment);

export const readServerSettings = (
  env: z.output<typeof Servers>,
  { host, hasPeers }: Pick<ServerSettings, 'host' | 'hasPeers'>,
): ServerSettings => ({
  idleMs: env.STELE_SERVER_IDLE * 1_000,
  atOnce: env.STELE_SERVERS ?? Math.max(1, Math.floor(memoryBytes() / 2 / USUAL_BYTES)),
  memoryBytes: env.STELE_SERVER_MEMORY,
  host,
  hasPeers,
});

/** Memory available to this process and its children. A container may have less than the machine. */
function memoryBytes(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}
