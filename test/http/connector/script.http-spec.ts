import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { signIn } from '../../support/people/sign-in.js';
import { rawRequestsTo } from '../../support/service/raw-request.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';

const SCRIPT = '/.stele/connector.js';

describe('The script for calling agents from a page', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let owner: Awaited<ReturnType<typeof signIn>>;
  let slug: string;

  beforeAll(async () => {
    temporary = await temporaryFolder('connector-script');
    stele = await sharedStele({ folder: temporary.folder });
    owner = await signIn(stele, 'ann@script.example.org');
    slug = await site(true);
  }, 180_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary?.remove();
  });

  async function site(enabled: boolean, more: object = {}) {
    const files = [{ path: 'index.html', content: '<h1>Hello</h1>' }];
    const { body } = await stele.api.post('/v1/deploy').set(owner.bearer).send({ files }).expect(200);
    const path = `/v1/sites/${body.slug}`;
    await stele.api.post(`${path}/capabilities`).set(owner.bearer).send({ name: 'connector', enabled }).expect(200);
    if (Object.keys(more).length > 0) await stele.api.post(`${path}/access`).set(owner.bearer).send(more).expect(200);
    return body.slug as string;
  }
  const ask = (name: string, path = SCRIPT, headers: Record<string, string> = {}, method = 'GET') =>
    rawRequestsTo(stele.port, `${name}.localhost:${stele.port}`)(path, headers, method);

  it('the script is a module of at most 2 KiB with an ETag', async () => {
    const { status, headers, body } = await ask(slug);
    expect([status, headers]).toMatchObject([
      200,
      {
        'content-type': 'text/javascript; charset=utf-8',
        'x-content-type-options': 'nosniff',
        'cache-control': 'public, max-age=0, must-revalidate',
      },
    ]);
    expect(body.length).toBeLessThanOrEqual(2_048);
    expect(body.toString()).toMatch(/export async function invoke/);
    const again = await ask(slug, SCRIPT, { 'if-none-match': `"other", W/${headers.etag}` });
    expect([again.status, again.headers.etag, again.body.length]).toEqual([304, headers.etag, 0]);
    const head = await ask(slug, SCRIPT, {}, 'HEAD');
    expect([head.status, head.headers['content-length']]).toEqual([200, `${body.length}`]);
  });

  it('the script comes with type declarations that compile', async () => {
    const { text } = await stele.visit(slug, '/.stele/connector.d.ts').expect(200);
    const page = `import { invoke, InvokeError } from './connector.js';
      const answer = await invoke<{ sum: number }>([1, 2], { onPartial: (part) => console.log(part), wait: 5 });
      answer.sum.toFixed();
      // @ts-expect-error
      await invoke(1, { onPartial: 'x' });`;
    expect(complaints({ 'connector.d.ts': text, 'page.ts': page })).toEqual([]);
  });

  it('the script is available only with GET and HEAD; other methods are refused', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const { status, headers } = await ask(slug, SCRIPT, {}, method);
      expect([method, status, headers.allow]).toEqual([method, 405, 'GET, HEAD']);
    }
  });

  it('the script’s URL returns 404 if the connector is off, or if the host or file name is wrong', async () => {
    const off = await site(false);
    expect((await ask(off)).status).toBe(404);
    await stele.raw.get(`/s/${slug}${SCRIPT}`).expect(404);
    for (const path of ['/.stele/connector.mjs', '/.stele/connector', '/.stele/../.stele/connector.js.map'])
      expect((await ask(slug, path)).status).toBe(404);
  });

  it('the script is visible only to those who can see the site', async () => {
    const hidden = await site(true, { visibility: 'password', password: 'open sesame' });
    expect((await ask(hidden)).status).toBe(401);
  });
});

function complaints(files: Readonly<Record<string, string>>): string[] {
  const options = {
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ES2022,
    strict: true,
    noEmit: true,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const [read, has] = [host.readFile, host.fileExists];
  const ours = (path: string) => files[path.replace(/^\.?\//, '').replace(`${process.cwd().slice(1)}/`, '')];
  host.readFile = (path) => ours(path) ?? read(path);
  host.fileExists = (path) => ours(path) !== undefined || has(path);
  host.getSourceFile = (path, version) => {
    const text = host.readFile(path);
    return text === undefined ? undefined : ts.createSourceFile(path, text, version);
  };
  const program = ts.createProgram({ rootNames: Object.keys(files), options, host });
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}
