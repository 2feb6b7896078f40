import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { mapStackTraces } from './process/start/mapped-stacks.js';

// Before anything else is read: what a former start has compiled is taken from beside the program. Where that cannot be
// written, as in an image, everything is compiled anew.
enableCompileCache(fileURLToPath(new URL('.compiled', import.meta.url)));
if (!process.sourceMapsEnabled) mapStackTraces();
await import('./main.js');
