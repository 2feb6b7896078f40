import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from '@jest/globals';
import { type Stele, sharedStele, temporaryFolder } from '../service/stele.js';

const execute = promisify(execFile);

/** The folder of the example clients and of the configuration of their generators. */
export const clients = resolve('tools/clients');

/** Tools that are downloaded once. */
export const downloads = resolve('node_modules/.cache/clients');

/** Runs a command, and throws with its output if it fails. Returns what it prints. */
export async function run(command: string, words: readonly string[], cwd?: string): Promise<string> {
  const { stdout } = await execute(command, words, { maxBuffer: 64 * 1_048_576, ...(cwd && { cwd }) }).catch(
    ({ stdout, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`${command} failed: ${stdout.slice(-4_000)}\n${stderr.slice(-4_000)}`);
    },
  );
  return stdout;
}

/** A service, and a folder with its description as `openapi.json`. */
export type Subject = { readonly stele: Stele; readonly folder: string; readonly description: string };

/** Starts a service for a generated client, calls `use`, and removes both. */
export async function withSubject(name: string, use: (subject: Subject) => Promise<void>): Promise<void> {
  const { folder, remove } = await temporaryFolder(name);
  const stele = await sharedStele({ folder: join(folder, 'data') });
  try {
    const description = join(folder, 'openapi.json');
    await writeFile(description, await (await fetch(`${stele.base}/openapi.json`)).text());
    await use({ stele, folder, description });
  } finally {
    await stele.stop();
    await remove();
  }
}

/** Checks what an example client prints: it has published two deploys and rolled back to the first one. */
export async function expectClientWorked({ stele }: Subject, printed: string): Promise<void> {
  const { slug, deployId, second, deploys, live, code } = JSON.parse(printed);
  expect({ deploys, live, code }).toEqual({ deploys: [second, deployId], live: deployId, code: 'deploy_not_found' });
  expect((await stele.visit(slug).expect(200)).text).toContain('<h1>One</h1>');
}
