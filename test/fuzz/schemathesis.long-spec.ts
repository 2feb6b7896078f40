// needs: database, python
// only: fuzz

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OPERATOR } from '../support/fuzz/fuzz-world.js';
import { type Description, withItemSchemas } from '../support/fuzz/item-schemas.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';

const run = promisify(execFile);
const judge = resolve('test/fuzz/schemathesis');
/** Schemathesis, which is downloaded from PyPI once, separately from our dependencies. */
const python = resolve('node_modules/.cache/schemathesis');

const examples = process.env.STELE_SCHEMATHESIS_EXAMPLES ?? '100';
/** Settings for a partial run: the phases, and an expression that selects operations by ID. */
const phases = process.env.STELE_SCHEMATHESIS_PHASES ?? 'coverage,fuzzing,stateful';
const chosen = process.env.STELE_FUZZ_OPERATIONS;
const seed = process.env.STELE_FUZZ_SEED ?? '27';

describe('Testing the API with Schemathesis and the OpenAPI document', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;

  beforeAll(async () => {
    if (!existsSync(join(python, 'bin/schemathesis'))) {
      await run('python3', ['-m', 'venv', python]);
      await run(join(python, 'bin/pip'), ['install', '--quiet', '-r', join(judge, 'requirements.txt')]);
    }
    temporary = await temporaryFolder('schemathesis');
    stele = await startStele({
      folder: join(temporary.folder, 'data'),
      env: { STELE_RATE_LIMITS: 'off', STELE_ADMIN_TOKEN: OPERATOR },
    });
  }, 300_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  it('Schemathesis finds no failures, except for refusals that depend on the service’s state', async () => {
    const { folder } = temporary;
    const description = join(folder, 'openapi.json');
    const answer = await fetch(`${stele.base}/openapi.json`);
    await writeFile(description, JSON.stringify(withItemSchemas((await answer.json()) as Description)));
    const cwd = join(folder, 'judge');
    await mkdir(cwd);
    const seen = join(folder, 'seen.json');
    const words = ['--no-color', '--config-file', join(judge, 'schemathesis.toml'), 'run', description];
    const only = chosen ? ['--include-operation-id-regex', chosen] : [];
    const child = spawn(
      join(python, 'bin/schemathesis'),
      [...words, '-u', stele.base, '--phases', phases, '-n', examples, '--seed', seed, ...only],
      {
        cwd,
        env: {
          ...process.env,
          PYTHONPATH: judge,
          PYTHONDONTWRITEBYTECODE: '1',
          STELE_FUZZ_HOOKS: join(judge, 'hooks.py'),
          STELE_FUZZ_REFUSALS: resolve('test/fuzz/refusals.json'),
          STELE_FUZZ_BASE: stele.base,
          STELE_FUZZ_OPERATOR: OPERATOR,
          STELE_FUZZ_SEEN: seen,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let told = '';
    child.stdout.on('data', (text) => {
      told += text;
    });
    child.stderr.on('data', (text) => {
      told += text;
    });
    const [code] = await once(child, 'exit');
    const summary = told.slice(told.indexOf('= SUMMARY ='));
    console.log(`${summary}\nRefused as listed: ${await readFile(seen, 'utf8').catch(() => 'nothing')}`);
    expect(code === 0 ? '' : told.slice(-60_000)).toBe('');
  }, 7_200_000);
});
