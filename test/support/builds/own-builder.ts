import { join } from 'node:path';
import { BubblewrapBuilder } from '../../../src/builders/bubblewrap/bubblewrap.engine.js';
import type { BuildLimits, CommandEnd } from '../../../src/kernel/ports/builder.js';
import { temporaryFolder } from '../service/stele.js';

const MIB = 1_048_576;
const usual: BuildLimits = { memoryBytes: 512 * MIB, processes: 128, diskBytes: 64 * MIB, diskFiles: 2_000 };

export type Ran = CommandEnd & {
  /** What it has printed on both streams. */
  readonly said: string;
};

/** A builder without a service, and builds of one command each. */
export class OwnBuilder {
  private constructor(
    readonly builder: BubblewrapBuilder,
    readonly remove: () => Promise<void>,
  ) {}

  static async open(): Promise<OwnBuilder> {
    const { folder, remove } = await temporaryFolder('own-builder');
    const options = { folder: join(folder, 'builds'), hosts: new Map(), lookup: async () => [] };
    const builder = new BubblewrapBuilder(options);
    await builder.start(process.env);
    const missing = await builder.tried();
    if (missing !== null) throw new Error(missing);
    return new OwnBuilder(builder, remove);
  }

  async run(script: string, limits: Partial<BuildLimits> = {}, signal = AbortSignal.timeout(25_000)): Promise<Ran> {
    const sandbox = await this.builder.open({ ...usual, ...limits }, () => undefined);
    const said: Uint8Array[] = [];
    try {
      const listen = async (_: string, bytes: Uint8Array) => void said.push(bytes);
      const end = await sandbox.run({ script, folder: '.', tools: [], env: {} }, listen, signal);
      return { ...end, said: Buffer.concat(said).toString('utf8') };
    } finally {
      await sandbox.close();
    }
  }
}
