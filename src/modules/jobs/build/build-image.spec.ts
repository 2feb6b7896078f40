import { describe, expect, it } from '@jest/globals';
import { commitInMemory } from '../../../../test/support/sites/commit-in-memory.js';
import { ImageBuildError, ImageBuilder, type ImageSource } from '../../../kernel/ports/outside/image-builder.js';
import type { BuildSettings } from '../../../settings/build-settings.js';
import { detect } from '../detect/detect.js';
import { buildImage } from './build-image.js';

const progress = { log: async () => undefined, step: async () => undefined, isLogFull: () => false };

class WithoutNetwork extends ImageBuilder {
  override tried = async () => null;
  override async build(
    _: ImageSource,
    __: unknown,
    onOutput: (stream: 'stdout', bytes: Uint8Array) => Promise<void>,
  ): Promise<never> {
    await onOutput('stdout', Buffer.from('npm error code EAI_AGAIN\nError: getaddrinfo EAI_AGAIN registry\n'));
    throw new ImageBuildError('The command exited with code 1.');
  }
}

describe('buildImage', () => {
  it('explains why a build failed and lists the commands that need network access', async () => {
    const builds = { registries: ['docker.io'], imageNetwork: 'none', nodeVersions: [], hosts: null, hugo: null };
    const settings = builds as Partial<BuildSettings> as BuildSettings;
    const copy = commitInMemory({ Dockerfile: 'FROM node:24\nRUN npm ci\n' });
    const { files, plan } = await detect(copy, { rootDirectory: null, plan: {} }, settings);
    const services = { imageBuilder: new WithoutNetwork(), builds: settings };
    const building = buildImage({ copy, files, plan }, services, progress, new AbortController().signal, async () => 0);
    await expect(building).rejects.toThrow(
      /exited with code 1\. RUN has no network access here.*line 2 \(RUN npm ci\).*The log says: Error: getaddrinfo/,
    );
  });
});
