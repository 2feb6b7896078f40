// needs: database, git, bubblewrap, chromium, containers, busybox

import { hostileServers } from '../contracts/hostile-servers.contract.js';
import { containerEngine } from '../support/builds/container-engine.js';
import { hostileImages } from '../support/servers/hostile-images.js';
import { standaloneOutput } from '../support/servers/standalone-output.js';

hostileServers('A hostile server in bubblewrap', async () => ({
  kind: 'next',
  env: { STELE_BUILDER: 'bubblewrap' },
  programOf: (script) => standaloneOutput(script, { 'x-1a2b3c4d.js': '' }),
  close: async () => undefined,
}));

hostileServers('A hostile server in a container of Podman', () => hostileImages(containerEngine));
