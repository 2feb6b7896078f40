import { posix } from 'node:path';
import type { Plan } from '../../../events/repo-source.js';
import type { Sandbox } from '../../../kernel/ports/outside/builder.js';
import { BuildFailed } from './build-failed.js';

/** Next.js leaves this where it has made files, and only there. */
const WORD = 'export-detail.json';

/** Throws `BuildFailed` where Next.js has made a server, whatever its settings looked like. */
export async function expectExport(sandbox: Sandbox, { rootDirectory }: Plan): Promise<void> {
  const files = await sandbox.files(posix.join(rootDirectory, '.next'));
  if (files?.some(({ path }) => path === WORD)) return;
  throw new BuildFailed('Next.js has made a server and no files. Set output: "export" in next.config.');
}
