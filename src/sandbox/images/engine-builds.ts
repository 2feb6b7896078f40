import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { alreadyGone } from '../../kernel/faults/ignored-fault.js';
import type { OnOutput } from '../../kernel/ports/outside/builder.js';
import { ImageBuildError } from '../../kernel/ports/outside/image-builder.js';
import type { ContainerEngine } from '../container/engine-socket.js';
import type { BuildContext } from './context.js';
import type { RunNetwork } from './run-network.js';

/** A message from the engine while it handles a request (Docker Engine API, "Build an image"). */
type Said = {
  readonly stream?: string;
  readonly error?: string;
  /** Exit code of a failed command. Not all engines report it. */
  readonly exitCode?: number;
};

/** Maximum length of an engine’s message. Real messages are shorter; anything longer is cut off. */
const LONGEST = 1_048_576;

/** Yields JSON objects as their lines arrive. Skips other lines. */
async function* saidLines(from: AsyncIterable<Buffer | string>): AsyncGenerator<Said> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of from) {
    text += typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true });
    if (text.length > LONGEST && !text.includes('\n')) text = '';
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      const said = saidIn(text.slice(0, end));
      text = text.slice(end + 1);
      if (said) yield said;
    }
  }
  const said = saidIn(text);
  if (said) yield said;
}

function saidIn(line: string): Said | null {
  if (line.trim() === '') return null;
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null) return null;
    const textOf = (name: string) => {
      const member: unknown = Reflect.get(value, name);
      return typeof member === 'string' ? { [name]: member } : {};
    };
    return { ...textOf('stream'), ...textOf('error'), ...exitCodeIn(value) };
  } catch {
    return null;
  }
}

/**
 * Returns the exit code of a failed command. Docker reports it in a separate field, Podman only at the end of a
 * message.
 */
function exitCodeIn(value: object) {
  const detail: unknown = Reflect.get(value, 'errorDetail');
  if (typeof detail !== 'object' || detail === null) return {};
  const code: unknown = Reflect.get(detail, 'code');
  const [, inWords] = /exit status (\d{1,3})\s*$/.exec(String(Reflect.get(detail, 'message'))) ?? [];
  const exitCode = typeof code === 'number' ? code : Number(inWords);
  return Number.isInteger(exitCode) ? { exitCode } : {};
}

export type EngineBuild = {
  readonly context: BuildContext['archive'];
  readonly dockerfile: string;
  /** Temporary name of the image until it is stored. */
  readonly tag: string;
  readonly memoryBytes: number;
  readonly fileBytes: number;
  /** Parent control group for commands. Null if the engine does not support one. */
  readonly parent: string | null;
  readonly network: Pick<RunNetwork, 'options'> | null;
};

const OPEN_FILES = 20_000;
const CPU_SHARES = 512;

/**
 * Builds a Dockerfile with the engine. Without `network`, commands have no network access. For this, Docker needs the
 * mode `none`, and Podman the mode `1`, because Podman would use the host’s network for `none` (seen with 4.3).
 * Aborting the signal ends the request and throws the signal’s reason. Throws `ImageBuildError`.
 */
export async function buildInEngine(
  { docker, isPodman }: Pick<ContainerEngine, 'docker' | 'isPodman'>,
  { context, dockerfile, tag, memoryBytes, fileBytes, parent, network }: EngineBuild,
  onOutput: OnOutput,
  signal: AbortSignal,
): Promise<void> {
  const limits = [limit('core', 0), limit('nofile', OPEN_FILES), limit('fsize', fileBytes)];
  const options = {
    t: tag,
    dockerfile,
    version: '1' as const,
    ...(network?.options ?? { networkmode: isPodman ? '1' : 'none' }),
    memory: memoryBytes,
    memswap: memoryBytes,
    cpushares: CPU_SHARES,
    ulimits: JSON.stringify(isPodman ? limits.map(inWords) : limits),
    rm: true,
    forcerm: true,
    nocache: true,
    pull: false,
    // Disables the layer cache of Podman.
    layers: false,
    ...(parent !== null && { cgroupparent: parent }),
    abortSignal: signal,
  };
  const sent = Readable.from(context, { objectMode: false });
  const answer = await docker.buildImage(sent, options).catch((error: unknown) => {
    sent.destroy();
    signal.throwIfAborted();
    throw isAnswer(error) ? new ImageBuildError(said(error)) : error;
  });
  await passSaid(answer as AsyncIterable<Buffer> & typeof answer, onOutput, signal);
}

/** Pulls an image unless it exists locally. Throws `ImageBuildError`. */
export async function fetchBase(docker: Docker, name: string, onOutput: OnOutput, signal: AbortSignal): Promise<void> {
  if (await docker.getImage(name).inspect().catch(alreadyGone)) return;
  await onOutput('stdout', Buffer.from(`Fetching ${name}\n`));
  const answer = await docker.pull(name, { abortSignal: signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new ImageBuildError(`Could not fetch ${name}: ${said(error)}`);
  });
  await passSaid(answer as AsyncIterable<Buffer> & typeof answer, quietly, signal);
}

async function passSaid(from: AsyncIterable<Buffer>, onOutput: OnOutput, signal: AbortSignal): Promise<void> {
  try {
    for await (const { stream, error, exitCode } of saidLines(from)) {
      if (error !== undefined) throw new ImageBuildError(error.trim(), exitCode ?? null);
      if (stream !== undefined) await onOutput('stdout', Buffer.from(stream));
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

const limit = (Name: string, most: number) => ({ Name, Soft: most, Hard: most });
/** Formats a limit for Podman’s command line. */
const inWords = ({ Name, Soft, Hard }: ReturnType<typeof limit>) => `${Name}=${Soft}:${Hard}`;

const quietly: OnOutput = async () => undefined;

/** Reports whether an error is the engine’s response, for example because the engine could not read the Dockerfile. */
const isAnswer = (error: unknown) => error instanceof Error && typeof Reflect.get(error, 'statusCode') === 'number';

const said = (error: unknown) => (error instanceof Error ? error.message : String(error));
