import type { HostilePlace } from '../../contracts/hostile-servers.contract.js';
import type { EngineUnderTest } from '../builds/container-engine.js';
import { imageOf } from '../builds/images-under-test.js';

export async function hostileImages(open: () => Promise<EngineUnderTest>): Promise<HostilePlace> {
  const engine = await open();
  return {
    kind: 'container',
    env: { ...engine.env, STELE_BUILDER: 'container' },
    programOf: async (script) => {
      const changes = ['WORKDIR /app', 'CMD ["/bin/node","/app/server.js"]'];
      return (await imageOf(engine.env, { hasNode: true, files: { 'app/server.js': script }, changes })).bytes;
    },
    close: engine.close,
  };
}
