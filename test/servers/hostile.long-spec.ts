// needs: database, git, bubblewrap, chromium, containers, busybox

import { hostilePrograms } from '../contracts/hostile-programs.contract.js';
import { containerEngine } from '../support/builds/container-engine.js';
import { hostileImages } from '../support/servers/hostile-images.js';
import { standaloneOutput } from '../support/servers/standalone-output.js';

hostilePrograms('A hostile server in bubblewrap', async () => ({
  kind: 'next',
  env: { STELE_BUILDER: 'bubblewrap' },
  programOf: (script) => standaloneOutput(script, { 'x-1a2b3c4d.js': '' }),
  close: async () => undefined,
}));

hostilePrograms('A hostile server in a container of Podman', () => hostileImages(containerEngine));
