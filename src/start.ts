import './process/start/node-version.js';

const { enableCompileCache } = await import('node:module');
const { fileURLToPath } = await import('node:url');

// Must come first: uses code that earlier starts compiled into a cache beside the program. If the cache cannot be
// written, as in an image, everything is compiled again.
enableCompileCache(fileURLToPath(new URL('.compiled', import.meta.url)));
if (!process.sourceMapsEnabled) {
  const { mapStackTraces } = await import('./process/start/mapped-stacks.js');
  mapStackTraces();
}
await import('./main.js');
