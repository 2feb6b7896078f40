import { randomBytes } from 'node:crypto';
import { alreadyGone } from '../../kernel/faults/ignored-fault.js';
import { ImageBuildError } from '../../kernel/ports/outside/image-builder.js';
import { packTar } from '../archive/tar.js';
import { buildInEngine } from './engine-builds.js';
import type { ReadyEngine } from './ready-engine.js';
import type { RunNetwork } from './run-network.js';

const MEMORY_BYTES = 268_435_456;
const TIME_MS = 60_000;
const LIMITS = { memoryBytes: MEMORY_BYTES, processes: 64, diskBytes: MEMORY_BYTES, diskFiles: 1_000 };

/** Build instructions that print the available networks and then start more processes than allowed. */
const TRIAL = `RUN echo "networks: $(cut -d : -f 1 -s /proc/net/dev | tr -d ' ' | tr '\\n' ' ')"
RUN n=0; while [ $n -lt 100 ]; do sleep 1 & n=$((n+1)); done; wait; echo "started: $n"
`;

/**
 * Tests the engine with a build. Returns the reason why the engine cannot be used, or null. If `stopping` aborts, ends
 * the build and throws the reason.
 */
export async function probeImages(
  engine: ReadyEngine,
  image: string,
  network: Pick<RunNetwork, 'options'> | null,
  stopping: AbortSignal,
): Promise<string | null> {
  const name = `probe-${randomBytes(8).toString('hex')}`;
  const tag = `localhost/stele-image:${name}`;
  const group = (await engine.groups?.make(name, LIMITS)) ?? null;
  const dockerfile = Buffer.from(`FROM ${image}\n${TRIAL}`);
  const content = async function* () {
    yield dockerfile;
  };
  const member = { path: 'Dockerfile', size: dockerfile.length, isExecutable: false, content };
  let said = '';
  try {
    const asked = {
      context: packTar([member]),
      dockerfile: 'Dockerfile',
      tag,
      memoryBytes: MEMORY_BYTES,
      fileBytes: MEMORY_BYTES,
      parent: group?.parent ? `${group.parent}/run` : null,
      network,
    };
    const onOutput = async (_: string, bytes: Uint8Array) => {
      said += Buffer.from(bytes).toString('utf8');
    };
    await buildInEngine(engine, asked, onOutput, AbortSignal.any([stopping, AbortSignal.timeout(TIME_MS)]));
  } catch (error) {
    if (!(error instanceof ImageBuildError)) throw error;
    said += `\n${error.message}`;
  } finally {
    await group?.kill();
    await group?.remove();
    await engine.docker.getImage(tag).remove({ force: true }).catch(alreadyGone);
  }
  const networks = /^networks: (.*)$/m.exec(said)?.[1]?.trim();
  if (networks === undefined) return `The container engine could not build an image: ${said.trim().slice(-200)}`;
  if (networks !== 'lo')
    return `The container engine gives builds network access (${networks}) even though it was told not to.`;
  if (group && /^started: /m.test(said))
    return 'The container engine does not run builds in the control group that they were assigned.';
  return null;
}
