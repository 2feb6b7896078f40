import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from '@jest/globals';
import { type Stele, sharedStele, temporaryFolder } from '../service/stele.js';

const execute = promisify(execFile);

export const clients = resolve('tools/clients');

export const downloads = resolve('node_modules/.cache/clients');

export async function run(command: string, words: readonly string[], cwd?: string): Promise<string> {
  const { stdout } = await execute(command, words, { maxBuffer: 64 * 1_048_576, ...(cwd && { cwd }) }).catch(
    ({ stdout, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`${command} failed: ${stdout.slice(-4_000)}\n${stderr.slice(-4_000)}`);
    },
  );
  return stdout;
}

/** openapi-generator is installed from PyPI, because its package there contains the complete JAR file. */
const OPENAPI_GENERATOR = 'openapi-generator-cli==7.26.0';

/**
 * Includes models for form bodies (`skipFormModel=false`), because operations that also accept JSON refer to them.
 */
const GENERATED_PARTS =
  'apis,models,supportingFiles,skipFormModel=false,apiDocs=false,modelDocs=false,apiTests=false,modelTests=false';

/** Generates a client with openapi-generator, which is installed if it is missing. */
export async function generateWithOpenApiGenerator(words: readonly string[]): Promise<void> {
  const generator = join(downloads, 'java');
  const program = join(generator, 'bin/openapi-generator-cli');
  if (!existsSync(program)) {
    await run('python3', ['-m', 'venv', generator]);
    await run(join(generator, 'bin/pip'), ['install', '--quiet', OPENAPI_GENERATOR]);
  }
  await run(program, ['generate', ...words, '--global-property', GENERATED_PARTS]);
}

/** A service, and a folder that contains the service's openapi.json (`description`). */
export type Subject = { readonly stele: Stele; readonly folder: string; readonly description: string };

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

/** Checks an example client’s output, which must report two deploys and a rollback to the first. */
export async function expectClientWorked({ stele }: Subject, printed: string): Promise<void> {
  const { slug, deployId, second, deploys, live, code } = JSON.parse(printed);
  expect({ deploys, live, code }).toEqual({ deploys: [second, deployId], live: deployId, code: 'deploy_not_found' });
  expect((await stele.visit(slug).expect(200)).text).toContain('<h1>One</h1>');
}
