// needs: database, git, bubblewrap

import { describe, expect, it } from '@jest/globals';
import { Bubblewrap } from '../../src/sandbox/bubblewrap/bubblewrap.engine.js';
import { Containers } from '../../src/sandbox/container/container.engine.js';
import { builderContract } from '../contracts/builder.contract.js';
import { BuilderUnderTest } from '../support/builds/builder-under-test.js';

builderContract('bubblewrap', () => new Bubblewrap());

describe('Choosing a build engine', () => {
  const nowhere = () => new Containers(null, { DOCKER_HOST: 'unix:///nonexistent/docker.sock' });

  it('the first engine that works is chosen', async () => {
    const under = await BuilderUnderTest.open(nowhere(), new Bubblewrap());
    expect(under.builder.engine).toBe('bubblewrap');
    await under.close();
  }, 60_000);

  it.each([
    ['unix:///nonexistent/docker.sock', 'Could not reach Docker or Podman'],
    ['tcp://192.0.2.1:2375', 'DOCKER_HOST must be a unix:// address'],
  ])(
    'if no engine works, the problem of each engine is reported: %s',
    async (address, why) => {
      await expect(BuilderUnderTest.open(new Containers(null, { DOCKER_HOST: address }))).rejects.toThrow(why);
    },
    60_000,
  );
});
