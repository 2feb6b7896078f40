import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signIn } from '../../support/people/sign-in.js';
import { type Stele, startStele, temporaryFolder } from '../../support/service/stele.js';
import { type Mistake, mistakes, type World } from './mistakes.js';

/** Contains the response to each mistake, for review. `UPDATE_MISTAKES=1` updates it. */
const FILE = 'test/http/mistakes/mistakes.txt';

type Response = { readonly status: number; readonly text: string };

type Problem = {
  readonly code: string;
  readonly title: string;
  readonly detail?: string;
  readonly suggestion?: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
};

describe('Common mistakes', () => {
  let stele: Stele;
  let remove: () => Promise<void>;
  let world: World;
  let expected: string;
  const seen: string[] = [];

  beforeAll(async () => {
    const temporary = await temporaryFolder('mistakes');
    remove = temporary.remove;
    const env = {
      STELE_ANONYMOUS_MAX_FILES: '3',
      STELE_ANONYMOUS_MAX_BYTES: String(1024 * 1024),
      STELE_MAX_FILE_BYTES: String(256 * 1024),
    };
    stele = await startStele({ folder: temporary.folder, env });
    world = await prepared(stele);
    expected = await readFile(FILE, 'utf8').catch(() => '');
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await remove();
  });

  it.each(mistakes.map((mistake, index) => [`${index + 1}. ${mistake.title}`, mistake] as const))(
    'the response to a common mistake matches mistakes.txt: %s',
    async (title, mistake) => {
      const { line, response } = await made(stele, mistake, world);
      // JSON-RPC errors about the parameters of a request have the status 200.
      const isMessage = 'error' in JSON.parse(response.text);
      expect(response.status).toBeGreaterThanOrEqual(isMessage ? 200 : 400);
      expect(response.status).toBeLessThan(500);
      const text = described(title, line, response, stele, world);
      seen.push(text);
      if (!process.env.UPDATE_MISTAKES) expect(entryIn(expected, title)).toBe(text);
    },
  );

  it('mistakes.txt lists at least seventy mistakes, and this test covers each of the mistakes', async () => {
    expect(mistakes.length).toBeGreaterThanOrEqual(70);
    if (process.env.UPDATE_MISTAKES) await writeFile(FILE, `${seen.join('\n')}`);
    else expect(expected.match(/^\d+\. /gm)).toHaveLength(mistakes.length);
  });
});

async function prepared(stele: Stele): Promise<World> {
  const html = { 'content-type': 'text/html' };
  const anonymous = await stele.api.post('/v1/deploy?slug=amber-otter').set(html).send('<h1>Hello</h1>').expect(200);
  const other = await stele.api.post('/v1/deploy?slug=blue-heron').set(html).send('<h1>Hello</h1>').expect(200);
  const owner = await signIn(stele, 'ann@example.org');
  const stranger = await signIn(stele, 'eve@example.org');
  const owned = await stele.api
    .post('/v1/deploy?slug=green-fox')
    .set(html)
    .set(owner.bearer)
    .send('<h1>Hi</h1>')
    .expect(200);
  const token = await stele.api
    .post('/v1/sites/green-fox/tokens')
    .set(owner.bearer)
    .send({ name: 'deploy from main', role: 'viewer' })
    .expect(201);
  return {
    editToken: anonymous.body.editToken,
    otherEditToken: other.body.editToken,
    deployId: owned.body.deployId,
    session: owner.token,
    strangerSession: stranger.token,
    viewerToken: token.body.token,
  };
}

async function made(stele: Stele, mistake: Mistake, world: World) {
  const { method = 'POST', path, headers = {}, body } = mistake.request(world);
  const line = [`${method} ${path}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join(', ');
  const response = await new Promise<Response>((resolve, reject) => {
    const sent = request(`http://127.0.0.1:${stele.port}`, { method, path, headers }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (chunk) => {
        text += chunk;
      });
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
  return { line, response };
}

/** Replaces values that differ between runs (tokens, IDs, ports) with placeholders. */
function described(title: string, line: string, { status, text }: Response, stele: Stele, world: World): string {
  const { code, title: heading, detail, suggestion, errors = [] } = problemIn(text);
  const lines = [
    title,
    `   ${line}`,
    `   ${status} ${code}: ${heading}`,
    ...(detail === undefined ? [] : [`   ${detail}`]),
    ...(suggestion === undefined ? [] : [`   > ${suggestion}`]),
    ...errors.map(({ path, message }) => `   - ${path || '(body)'}: ${message}`),
    '',
  ];
  const named = Object.entries(world).reduce(
    (all, [name, value]) => all.replaceAll(value, `{${name}}`),
    lines.join('\n'),
  );
  return named.replaceAll(`:${stele.port}`, ':{port}').replace(/\bdep_[0-9a-z]{26}\b/g, '{deployId}');
}

/** MCP reports errors as JSON-RPC. */
function problemIn(text: string): Problem {
  const body = JSON.parse(text) as Problem & { readonly error?: { readonly code: number; readonly message: string } };
  return body.error ? { code: String(body.error.code), title: body.error.message } : body;
}

function entryIn(file: string, title: string): string {
  const start = file.indexOf(`${title}\n`);
  const end = file.indexOf('\n\n', start);
  return start < 0 ? '' : file.slice(start, end < 0 ? undefined : end + 1);
}
