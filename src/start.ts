import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Before anything else is read: what a former start has compiled is taken from beside the program. Where that cannot be
// written, as in an image, everything is compiled anew.
enableCompileCache(fileURLToPath(new URL('.compiled', import.meta.url)));
await import('./main.js');
