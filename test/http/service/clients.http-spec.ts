import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { agentOf } from '../../support/agents/agents.js';
import { type Stele, sharedStele, temporaryFolder } from '../../support/service/stele.js';

const run = promisify(execFile);
const judges = resolve('tools/clients');
const judge = (name: string) => join(judges, 'node_modules/.bin', name);

const SPLITS = ['oneOf', 'anyOf', 'allOf'];

const compilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  module: 'nodenext',
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
  types: ['node'],
  typeRoots: [resolve('node_modules/@types')],
  allowImportingTsExtensions: true,
};

type Schema = Record<string, unknown>;
/** JSON Schema keywords for conditions. Their subschemas need no `type`. */
const CONDITIONS = ['if', 'then', 'else', 'not', 'dependentSchemas'];
const SAYS = ['type', '$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'const'];

describe('A client generated from /openapi.json', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let description: string;

  beforeAll(async () => {
    if (!existsSync(judge('spectral')))
      await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: judges });
    temporary = await temporaryFolder('clients');
    stele = await sharedStele({ folder: join(temporary.folder, 'data') });
    description = join(temporary.folder, 'openapi.json');
    await writeFile(description, await (await fetch(`${stele.base}/openapi.json`)).text());
  }, 240_000);
  afterAll(async () => {
    await stele?.stop();
    await temporary.remove();
  });

  it.each([
    ['redocly', ['lint', '--config', join(judges, 'redocly.yaml'), '--format', 'json']],
    ['spectral', ['lint', '--ruleset', join(judges, 'spectral.yaml'), '--format', 'json', '--quiet']],
  ])(
    '%s finds no errors or warnings in the OpenAPI document',
    async (name, words) => {
      const { stdout } = await run(process.execPath, [judge(name), ...words, description], {
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      }).catch((fault: { stdout: string }) => fault);
      const found = JSON.parse(stdout);
      expect(Array.isArray(found) ? found : found.problems).toEqual([]);
    },
    120_000,
  );

  it('every value in the OpenAPI document has a schema unless it is arbitrary JSON', async () => {
    const nameless: string[] = [];
    const walk = (value: unknown, path: string, isSchema: boolean) => {
      if (typeof value !== 'object' || value === null) return;
      const each = value as Schema;
      if (isSchema && !Array.isArray(value) && !SAYS.some((name) => name in each) && !('description' in each))
        nameless.push(path);
      for (const [key, child] of Object.entries(each)) {
        const at = `${path}/${key}`;
        if (['schema', 'items', 'contentSchema'].includes(key)) walk(child, at, true);
        else if (key === 'properties' && typeof child === 'object' && child !== null)
          for (const [name, property] of Object.entries(child)) walk(property, `${at}/${name}`, true);
        else if (key !== 'example' && key !== 'examples' && !CONDITIONS.includes(key)) walk(child, at, false);
      }
    };
    const document = JSON.parse(await readFile(description, 'utf8'));
    for (const [name, schema] of Object.entries(document.components.schemas)) walk(schema, name, true);
    walk(document.paths, '', false);
    expect(nameless).toEqual([]);
    const operations = Object.values<Record<string, { operationId?: string }>>(document.paths).flatMap(Object.values);
    expect(operations.filter(({ operationId }) => !operationId)).toEqual([]);
  });

  it('the OpenAPI document has no boolean properties, and no schema with both properties and oneOf, anyOf or allOf', async () => {
    const found: string[] = [];
    const walk = (value: unknown, path: string) => {
      if (typeof value !== 'object' || value === null) return;
      const { properties, ...schema } = value as Schema;
      for (const [name, property] of Object.entries(Object(properties)))
        if (typeof property === 'boolean') found.push(`${path}/properties/${name}`);
      // If `properties` is next to one of these keywords, generators create types without the properties.
      if (properties && SPLITS.some((key) => key in schema)) found.push(path);
      for (const [key, child] of Object.entries(value)) walk(child, `${path}/${key}`);
    };
    walk(JSON.parse(await readFile(description, 'utf8')), '');
    expect(found).toEqual([]);
  });

  it('no schema has the name of a function or type that openapi-generator’s Go client derives from another schema', async () => {
    const names = Object.keys(JSON.parse(await readFile(description, 'utf8')).components.schemas);
    const derived = names.flatMap((name) => [
      `New${name}`,
      `New${name}WithDefaults`,
      `Nullable${name}`,
      `NewNullable${name}`,
    ]);
    expect(derived.length).toBeGreaterThan(200);
    expect(names.filter((name) => derived.includes(name))).toEqual([]);
  });

  it('a generated client compiles in strict mode, and can publish, watch, compare and roll back', async () => {
    const { folder } = temporary;
    await symlink(join(judges, 'node_modules'), join(folder, 'node_modules'));
    await copyFile(join(judges, 'client.ts'), join(folder, 'client.ts'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['client.ts'] }));
    await run(process.execPath, [judge('openapi-typescript'), description, '-o', join(folder, 'interface.d.ts')]);
    const compiled = await run(process.execPath, [resolve('node_modules/typescript/bin/tsc'), '-p', folder]).catch(
      (fault: { stdout: string }) => fault,
    );
    expect(compiled.stdout).toBe('');

    const { stdout } = await run(process.execPath, [join(folder, 'client.ts'), stele.base], { cwd: folder });
    expect(JSON.parse(stdout)).toEqual({
      slug: expect.any(String),
      deployId: expect.stringMatching(/^dep_/),
      events: ['SiteCreated', 'SiteDeployed', 'SiteDeployed', 'SiteRolledBack'],
      diff: expect.stringContaining('-<h1>One</h1>\n+<h1>Two</h1>\n'),
      jobs: 0,
      misspelt: 400,
      code: 'deploy_not_found',
    });
  }, 120_000);

  it('an unknown query parameter is refused with an error that names it', async () => {
    const { body } = await stele.api.post('/v1/deploy?expire=1h').type('html').send('<p>').expect(400);
    expect([body.code, body.errors]).toEqual([
      'invalid_request',
      [{ path: 'expire', message: 'is not a known query parameter' }],
    ]);
    expect(body.detail).toContain('expires');
    await stele.api.get('/v1/changelog?x=1').expect(400);
    // Mail software may add parameters to a link.
    const link = await stele.api.get('/v1/auth/verify?token=x&utm_source=mail').expect(400);
    expect(link.body.code).toBe('invalid_token');
  });
});

describe('The list of MCP tools', () => {
  /**
   * Maximum size of the list of tools, in tokens. See docs/decisions/0168-keep-the-list-of-tools-short-for-models.md.
   */
  const MAX_TOKENS = 14_000;

  it('the list of MCP tools has at most 14,000 tokens', async () => {
    const temporary = await temporaryFolder('tools');
    const stele = await sharedStele({ folder: join(temporary.folder, 'data') });
    try {
      const { client, close } = await agentOf(stele);
      const list = join(temporary.folder, 'tools.json');
      await writeFile(list, JSON.stringify({ tools: (await client.listTools()).tools }));
      await close();
      const { stdout } = await run(process.execPath, [join(judges, 'count-tokens.mjs'), list]);
      expect(Number(stdout)).toBeGreaterThan(5_000);
      expect(Number(stdout)).toBeLessThanOrEqual(MAX_TOKENS);
    } finally {
      await stele.stop();
      await temporary.remove();
    }
  }, 180_000);
});
