import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { nodeOptions } from '../../service/node-options.js';
import { WRITES } from './statement-patterns.js';
import { type Step, stepsInCode } from './steps-in-code.js';

/** What happens at the `n`-th time that a step is reached: from then on each time with `always`. */
export type Fault = {
  readonly id: string;
  readonly n: number;
  /** The process ends; the connection is cut; the disk is full. */
  readonly what: 'die' | 'cut' | 'full';
  /** Before the step is done, or after it and before its caller hears of it. */
  readonly when: 'before' | 'after';
  readonly always?: true;
};

export type ReachedStep = {
  readonly id: string;
  readonly n: number;
  /** Whether no step began after this one had ended, before any other ended: the moment after it is no other’s before. */
  readonly isLast: boolean;
};

export type Reached = {
  readonly reached: readonly ReachedStep[];
  /** What writes or asks and is none of the steps that were found in the code. */
  readonly unknown: readonly string[];
  readonly faults: readonly (Fault & { readonly fired?: true })[];
};

/** The durable steps of a service that is started with `env` and `command`. */
export class FaultPoints {
  private constructor(
    readonly steps: readonly Step[],
    private readonly folder: string,
  ) {}

  static async make(): Promise<FaultPoints> {
    const folder = await mkdtemp(join(tmpdir(), 'stele-points-'));
    const steps = stepsInCode();
    await writeFile(join(folder, 'steps.json'), JSON.stringify({ steps, writes: WRITES.source }));
    return new FaultPoints(steps, folder);
  }

  /** The service as it was built, file by file: in the bundle the packages are not to be reached. */
  readonly command: readonly [string, ...string[]] = [
    process.execPath,
    ...nodeOptions,
    // It asks for the place in our code at every step.
    '--enable-source-maps',
    'dist/start.js',
  ];

  get env(): Record<string, string> {
    return {
      NODE_OPTIONS: `--import ${resolve('test/support/faults/points/preload/preload.ts')}`,
      STELE_TEST_STEPS: join(this.folder, 'steps.json'),
      STELE_TEST_FAULT_POINTS: this.#address,
    };
  }

  /** Counts anew, with these faults waiting. */
  begin(faults: readonly Fault[] = []): Promise<Reached> {
    return this.#say({ begin: faults });
  }

  /** Faults that go on and on end; what was reached is counted on. */
  giveRoom(): Promise<Reached> {
    return this.#say({ giveRoom: true });
  }

  /** What was reached since. */
  reached(): Promise<Reached> {
    return this.#say({});
  }

  remove = () => rm(this.folder, { recursive: true, force: true });

  async #say(said: object): Promise<Reached> {
    const socket = connect(this.#address);
    socket.end(`${JSON.stringify(said)}\n`);
    return JSON.parse(await text(socket));
  }

  get #address() {
    return join(this.folder, 'points.sock');
  }
}
