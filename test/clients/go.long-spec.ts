// needs: database, go
// only: clients

import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from '@jest/globals';
import { clients, expectClientWorked, run, withSubject } from '../support/clients/generated-client.js';

const GENERATOR = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
const RUNTIME = 'github.com/oapi-codegen/runtime@v1.9.0';

it(
  'a client made by oapi-codegen publishes, lists deploys and rolls back',
  () =>
    withSubject('go-client', async (subject) => {
      const { stele, folder, description } = subject;
      const module = join(folder, 'module');
      await mkdir(module);
      const words = [
        'run',
        GENERATOR,
        '-package',
        'main',
        '-generate',
        'models,client',
        '-o',
        'stele.gen.go',
        description,
      ];
      await run('go', words, module);
      await copyFile(join(clients, 'client.go'), join(module, 'client.go'));
      await writeFile(join(module, 'go.mod'), 'module stele-client\n\ngo 1.24\n');
      await run('go', ['get', RUNTIME], module);
      await run('go', ['mod', 'tidy'], module);
      await run('go', ['vet', '.'], module);
      await expectClientWorked(subject, await run('go', ['run', '.', stele.base], module));
    }),
  600_000,
);
