import { writeFile } from 'node:fs/promises';
import { writeSettingsDocument } from './document.js';

// Writes docs/settings.md: `npm run settings`.
await writeFile(new URL('../../docs/settings.md', import.meta.url), writeSettingsDocument());
