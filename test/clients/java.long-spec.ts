// needs: database, java, python
// only: clients

import { existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { beforeAll, it } from '@jest/globals';
import { clients, downloads, expectClientWorked, run, withSubject } from '../support/clients/generated-client.js';

/** PyPI has the generator as a jar, of which Maven’s repositories have only the parts. */
const GENERATOR = 'openapi-generator-cli==7.26.0';
const generator = join(downloads, 'java');

const OPTIONS = 'hideGenerationTimestamp=true,openApiNullable=false';
/** Bodies of forms are models too, because operations that also accept JSON refer to them. */
const PARTS =
  'apis,models,supportingFiles,skipFormModel=false,apiDocs=false,modelDocs=false,apiTests=false,modelTests=false';

beforeAll(async () => {
  if (existsSync(join(generator, 'bin/openapi-generator-cli'))) return;
  await run('python3', ['-m', 'venv', generator]);
  await run(join(generator, 'bin/pip'), ['install', '--quiet', GENERATOR]);
}, 240_000);

it(
  'a client made by openapi-generator for Java publishes, lists deploys and rolls back',
  () =>
    withSubject('java-client', async (subject) => {
      const { stele, folder, description } = subject;
      const project = join(folder, 'project');
      const words = ['generate', '-i', description, '-g', 'java', '--library', 'native', '-o', project];
      const more = ['--additional-properties', OPTIONS, '--global-property', PARTS];
      await run(join(generator, 'bin/openapi-generator-cli'), [...words, ...more]);
      await copyFile(join(clients, 'Client.java'), join(project, 'src/main/java/Client.java'));
      await run('mvn', ['-q', '-B', '-DskipTests', 'compile', 'dependency:copy-dependencies'], project);
      const paths = [join(project, 'target/classes'), join(project, 'target/dependency/*')].join(delimiter);
      await expectClientWorked(subject, await run('java', ['-cp', paths, 'Client', stele.base]));
    }),
  600_000,
);
