import './process/start/node-version.js';

const { enableCompileCache } = await import('node:module');
const { fileURLToPath } = await import('node:url');

// Call this before importing the rest of the program. It reuses compiled code that earlier starts cached beside the
// program. If the cache cannot be written, as in an image, all code is compiled at every start.
enableCompileCache(fileURLToPath(new URL('.compiled', import.meta.url)));
if (!process.sourceMapsEnabled) {
  const { mapStackTraces } = await import('./process/start/mapped-stacks.js');
  mapStackTraces();
}
await import('./main.js');
