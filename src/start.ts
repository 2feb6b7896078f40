import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { mapStackTraces } from './process/start/mapped-stacks.js';

// Must come first: uses code that earlier starts compiled into a cache beside the program. If the cache cannot be
// written, as in an image, everything is compiled again.
enableCompileCache(fileURLToPath(new URL('.compiled', import.meta.url)));
if (!process.sourceMapsEnabled) mapStackTraces();
await import('./main.js');
