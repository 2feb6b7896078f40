import './process/start/node-version.js';

const { enableCompileCache } = await import('node:module');
const { fileURLToPath } = await import('node:url');

// Must be called before the rest of the program is imported. Reuses compiled code that earlier starts cached in a
// folder beside the program. If the cache cannot be written, as in a container image, all code is compiled at every
// start.
enableCompileCache(fileURLToPath(new URL('.compiled', import.meta.url)));
if (!process.sourceMapsEnabled) {
  const { mapStackTraces } = await import('./process/start/mapped-stacks.js');
  mapStackTraces();
}
await import('./service.js');
