import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'supertest';
import { signIn } from '../people/sign-in.js';
import { type Stele, startStele, temporaryFolder } from '../service/stele.js';
import { type ModelServer, startModelServer } from './model-server.js';
import { testTemplate } from './pages.js';

export const API_KEY = 'key-of-the-endpoint-1234567890';

/**
 * Starts a service with a scripted model, a template for tests, and a signed-in user. The timeouts for the model are so
 * long that they expire only in tests that shorten them.
 */
export async function startGenerating(env: Record<string, string> = {}) {
  const model = await startModelServer();
  const { folder, remove } = await temporaryFolder('generate');
  const templates = join(folder, 'their-templates');
  await mkdir(join(templates, 'links-for-tests'), { recursive: true });
  for (const [name, text] of Object.entries(testTemplate))
    await writeFile(join(templates, 'links-for-tests', name), text);
  const stele = await startStele({
    folder: join(folder, 'data'),
    env: {
      LLM_BASE_URL: model.baseUrl,
      LLM_API_KEY: API_KEY,
      LLM_MODEL: 'a-model',
      STELE_TEMPLATES: templates,
      STELE_GENERATE_SILENCE: '60',
      STELE_GENERATE_SECONDS: '60',
      STELE_GENERATE_SCRIPT_HOSTS: 'cdn.example',
      ...env,
    },
  });
  const ada = await signIn(stele, 'ada@example.com');
  const ask = (body: object): Test => stele.api.post('/v1/code/generate').set(ada.bearer).send(body);
  return { stele, model, ada, ask, stop: () => stopAll(stele, model, remove) };
}

export type Generating = Awaited<ReturnType<typeof startGenerating>>;

async function stopAll(stele: Stele, model: ModelServer, remove: () => Promise<void>): Promise<void> {
  await stele.stop();
  await model.stop();
  await remove();
}

export const eventsIn = (stream: string): { event: string; data: Record<string, unknown> }[] =>
  stream
    .split('\n\n')
    .filter((frame) => frame.startsWith('event: '))
    .map((frame) => {
      const [event = '', data = ''] = frame.split('\n');
      return { event: event.slice('event: '.length), data: JSON.parse(data.slice('data: '.length)) };
    });
