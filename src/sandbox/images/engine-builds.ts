import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { alreadyGone } from '../../kernel/faults/ignored-fault.js';
import type { OnOutput } from '../../kernel/ports/outside/builder.js';
import { ImageFailed } from '../../kernel/ports/outside/image-builder.js';
import type { ContainerEngine } from '../container/engine-socket.js';
import type { BuildContext } from './context.js';
import { saidLines } from './said-lines.js';

export type EngineBuild = {
  readonly context: BuildContext['archive'];
  readonly dockerfile: string;
  /** What the image is called until it is stored. */
  readonly tag: string;
  readonly memoryBytes: number;
  /** The most of one file. */
  readonly fileBytes: number;
  /** The control group that commands of the build are put below; null where the engine takes none. */
  readonly parent: string | null;
};

const OPEN_FILES = 20_000;
const CPU_SHARES = 512;

/**
 * Has the engine carry out a Dockerfile. Commands have no network: Podman takes `1` for that, and runs them in the host’s
 * where it is told `none` as Docker is (seen with 4.3). An aborted signal ends the request and throws its reason. Throws
 * `ImageFailed`.
 */
export async function buildInEngine(
  { docker, isPodman }: Pick<ContainerEngine, 'docker' | 'isPodman'>,
  { context, dockerfile, tag, memoryBytes, fileBytes, parent }: EngineBuild,
  onOutput: OnOutput,
  signal: AbortSignal,
): Promise<void> {
  const limits = [limit('core', 0), limit('nofile', OPEN_FILES), limit('fsize', fileBytes)];
  const options = {
    t: tag,
    dockerfile,
    version: '1' as const,
    networkmode: isPodman ? '1' : 'none',
    memory: memoryBytes,
    memswap: memoryBytes,
    cpushares: CPU_SHARES,
    ulimits: JSON.stringify(isPodman ? limits.map(inWords) : limits),
    rm: true,
    forcerm: true,
    nocache: true,
    pull: false,
    // Podman’s: what is between two instructions is not kept.
    layers: false,
    ...(parent !== null && { cgroupparent: parent }),
    abortSignal: signal,
  };
  const sent = Readable.from(context, { objectMode: false });
  const answer = await docker.buildImage(sent, options).catch((error: unknown) => {
    sent.destroy();
    signal.throwIfAborted();
    throw isAnswer(error) ? new ImageFailed(said(error)) : error;
  });
  await passSaid(answer as AsyncIterable<Buffer> & typeof answer, onOutput, signal);
}

/** Fetches an image, unless it is there. Throws `ImageFailed` where no registry has it. */
export async function fetchBase(docker: Docker, name: string, onOutput: OnOutput, signal: AbortSignal): Promise<void> {
  if (await docker.getImage(name).inspect().catch(alreadyGone)) return;
  await onOutput('stdout', Buffer.from(`Fetching ${name}\n`));
  const answer = await docker.pull(name, { abortSignal: signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new ImageFailed(`Could not fetch ${name}: ${said(error)}`);
  });
  await passSaid(answer as AsyncIterable<Buffer> & typeof answer, quietly, signal);
}

async function passSaid(from: AsyncIterable<Buffer>, onOutput: OnOutput, signal: AbortSignal): Promise<void> {
  try {
    for await (const { stream, error, exitCode } of saidLines(from)) {
      if (error !== undefined) throw new ImageFailed(error.trim(), exitCode ?? null);
      if (stream !== undefined) await onOutput('stdout', Buffer.from(stream));
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

const limit = (Name: string, most: number) => ({ Name, Soft: most, Hard: most });
/** As Podman has it on its command line. */
const inWords = ({ Name, Soft, Hard }: ReturnType<typeof limit>) => `${Name}=${Soft}:${Hard}`;

const quietly: OnOutput = async () => undefined;

/** What the engine has said no to, such as a Dockerfile that it cannot read. */
const isAnswer = (error: unknown) => error instanceof Error && typeof Reflect.get(error, 'statusCode') === 'number';

const said = (error: unknown) => (error instanceof Error ? error.message : String(error));
