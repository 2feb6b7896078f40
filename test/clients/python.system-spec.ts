// needs: database, python

import { existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { clients, downloads, expectClientWorked, run, withSubject } from '../support/clients/generated-client.js';

const GENERATOR = 'openapi-python-client==0.29.1';
const python = join(downloads, 'python');

beforeAll(async () => {
  if (existsSync(join(python, 'bin/openapi-python-client'))) return;
  await run('python3', ['-m', 'venv', python]);
  await run(join(python, 'bin/pip'), ['install', '--quiet', GENERATOR]);
}, 240_000);

it(
  'a client made by openapi-python-client publishes, lists deploys and rolls back',
  () =>
    withSubject('python-client', async (subject) => {
      const { stele, folder, description } = subject;
      const output = join(folder, 'stele_client');
      const config = join(clients, 'python.yaml');
      const words = ['generate', '--path', description, '--output-path', output, '--meta', 'none', '--config', config];
      const said = await run(join(python, 'bin/openapi-python-client'), words);
      expect(said).not.toContain('Endpoint will not be generated');
      await run(join(python, 'bin/python'), ['-m', 'compileall', '-q', output]);
      await copyFile(join(clients, 'client.py'), join(folder, 'client.py'));
      await expectClientWorked(subject, await run(join(python, 'bin/python'), ['client.py', stele.base], folder));
    }),
  120_000,
);
