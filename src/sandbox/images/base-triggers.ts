import type Docker from 'dockerode';
import { list } from 'tar';
import { ImageBuildError } from '../../kernel/ports/outside/image-builder.js';
import type { ReadyEngine } from './ready-engine.js';

/** Maximum size of a JSON file that describes an exported image. Larger files, such as layers, are skipped. */
const MAX_TEXT_BYTES = 1_048_576;

/**
 * Returns the instructions that an image adds to every build based on it (`ONBUILD`). Podman runs these instructions
 * without reporting them (seen in version 4.3), so a Podman image is exported and read. Throws `ImageBuildError`.
 */
export async function baseTriggers(
  { docker, isPodman }: Pick<ReadyEngine, 'docker' | 'isPodman'>,
  name: string,
): Promise<readonly string[]> {
  const image = docker.getImage(name);
  const triggers: unknown = isPodman ? await triggersInExport(image, name) : (await image.inspect()).Config.OnBuild;
  if (triggers === null || triggers === undefined) return [];
  if (!Array.isArray(triggers)) throw unknown(name);
  return triggers.map(String);
}

async function triggersInExport(image: Docker.Image, name: string): Promise<unknown> {
  const texts = new Map<string, Promise<Buffer>>();
  const parser = list({
    onReadEntry: (entry) => {
      if (entry.size <= MAX_TEXT_BYTES && entry.path.endsWith('.json')) texts.set(entry.path, entry.concat());
      else entry.resume();
    },
  });
  const ended = new Promise<void>((resolve, reject) => parser.once('end', resolve).once('error', reject));
  const exported = await image.get();
  for await (const piece of exported as AsyncIterable<Buffer> & typeof exported)
    if (!parser.write(piece)) await new Promise<void>((resolve) => parser.once('drain', resolve));
  parser.end();
  await ended;
  const textOf = async (path: unknown): Promise<unknown> => {
    const text = typeof path === 'string' ? await texts.get(path) : undefined;
    if (!text) throw unknown(name);
    return JSON.parse(text.toString('utf8'));
  };
  const images = await textOf('manifest.json');
  const described = await textOf(Array.isArray(images) ? memberOf(images[0], 'Config') : null);
  return memberOf(memberOf(described, 'config'), 'OnBuild');
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

const unknown = (name: string) =>
  new ImageBuildError(`Could not read the ONBUILD instructions of the base image ${name}.`);
