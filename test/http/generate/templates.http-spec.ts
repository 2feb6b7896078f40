import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Generating, startGenerating } from '../../support/model/generating.js';
import { signIn } from '../../support/people/sign-in.js';

describe('Templates', () => {
  let it_: Generating;
  beforeAll(async () => {
    it_ = await startGenerating();
  }, 180_000);
  afterAll(() => it_.stop());

  const template = 'links-for-tests';
  const preview = `/v1/code/templates/${template}/preview`;

  it('everybody can list templates with their parameters', async () => {
    const { body } = await it_.stele.api.get('/v1/code/templates?limit=100').expect(200);
    const listed = body.items.find((item: { name: string }) => item.name === template);
    expect(listed).toMatchObject({ title: 'Links for tests', parameters: { type: 'object', required: ['title'] } });
    expect(new URL(listed.previewUrl).pathname).toBe(preview);
    expect(body.total).toBe(body.items.length);
  });

  it('a template’s preview shows its example in a sandbox', async () => {
    const { text, headers } = await it_.stele.api
      .get(preview)
      .expect(200)
      .expect('content-type', /^text\/html/);
    expect(text).toContain('<h1>An example</h1>');
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy.slice(0, 2)).toEqual(['sandbox', "default-src 'none'"]);
    await it_.stele.api.get(preview).set('if-none-match', String(headers.etag)).expect(304);
    await it_.stele.api.head(preview).expect(200).expect('etag', String(headers.etag));
  });

  it('an unknown template returns 404', () => it_.stele.api.get('/v1/code/templates/nothing/preview').expect(404));

  it('templates produce pages without a model', async () => {
    const before = it_.model.asked.length;
    const parameters = { title: 'Ada <3', links: [{ label: '"><script>', url: 'https://example.com/?a="b' }] };
    const { body } = await it_.ask({ template, parameters }).expect(200);
    expect(body.source).toBe('template');
    expect(body.html).toContain('<h1>Ada &lt;3</h1>');
    expect(body.html).toContain('<a href="https://example.com/?a=&quot;b">"&gt;&lt;script&gt;</a>');
    expect(it_.model.asked.length).toBe(before);
  });

  it('a generated page can have a chosen title', async () => {
    const { body } = await it_.ask({ template, parameters: { title: 'x' }, title: '</title><b>' }).expect(200);
    expect(body.html).toContain('<title>&lt;/title&gt;&lt;b&gt;</title>');
  });

  it.each<[string, object, string]>([
    ['neither a prompt nor a template', {}, 'prompt'],
    ['both a prompt and a template', { prompt: 'x', template: 'links-for-tests' }, 'template'],
    ['an unknown template', { template: 'nothing' }, 'template'],
    ['a template named like a built-in object property', { template: '__proto__' }, 'template'],
    ['parameters without a template', { prompt: 'x', parameters: {} }, 'parameters'],
    ['a template without parameters', { template: 'links-for-tests' }, 'parameters.title'],
    ['parameters that are not an object', { template: 'links-for-tests', parameters: [] }, 'parameters'],
    [
      'an unknown parameter',
      { template: 'links-for-tests', parameters: { title: 'x', color: 'red' } },
      'parameters.color',
    ],
    [
      'a javascript: URL',
      {
        template: 'links-for-tests',
        parameters: {
          title: 'x',
          links: [
            { label: 'a', url: '/' },
            { label: 'b', url: 'JavaScript:alert(1)' },
          ],
        },
      },
      'parameters.links[1].url',
    ],
    ['an empty prompt', { prompt: '  ' }, 'prompt'],
    ['a prompt that is too long', { prompt: 'x'.repeat(8_001) }, 'prompt'],
    ['a prompt that is not a string', { prompt: 7 }, 'prompt'],
    ['a slug without a deploy', { prompt: 'x', slug: 'x' }, 'slug'],
    ['a template and a base', { template: 'links-for-tests', parameters: { title: 'x' }, base: 'dep_x' }, 'base'],
    ['a title with direction controls', { prompt: 'x', title: 'a\u202eb' }, 'title'],
    ['an unknown member', { prompt: 'x', temperature: 2 }, 'temperature'],
  ])('a request with %s is refused', async (_, body, path) => {
    const { body: problem } = await it_.ask(body).expect(400);
    expect(problem.code).toBe('invalid_request');
    expect(problem.errors[0].path).toBe(path);
  });

  it('anonymous callers can’t use templates', async () => {
    await it_.stele.api
      .post('/v1/code/generate')
      .send({ template, parameters: { title: 'x' } })
      .expect(401);
  });

  it('a client that requests an event stream receives the page as a single event', async () => {
    const { text } = await it_
      .ask({ template, parameters: { title: 'x' } })
      .set('accept', 'text/event-stream')
      .expect(200);
    expect(text).toMatch(/^event: done\ndata: \{"html":"<!DOCTYPE html>/);
  });

  it('a generated page can be published immediately, under the same rules as a deploy', async () => {
    const { body } = await it_
      .ask({ template, parameters: { title: 'Live' }, deploy: true, slug: 'ada-links' })
      .expect(200);
    expect(body.deploy).toMatchObject({ slug: 'ada-links', files: 1, warnings: [] });
    expect(body.deploy.editToken).toBeUndefined();
    const visited = await it_.stele.visit('ada-links').expect(200);
    expect(visited.text).toBe(body.html);

    const again = await it_
      .ask({ template, parameters: { title: 'Again' }, deploy: true, slug: 'ada-links' })
      .expect(200);
    expect((await it_.stele.visit('ada-links').expect(200)).text).toBe(again.body.html);
    const { body: deploys } = await it_.stele.api.get('/v1/sites/ada-links/deploys').set(it_.ada.bearer).expect(200);
    expect(deploys.items.map((deploy: { message: string }) => deploy.message)).toEqual([
      'Generated from a template',
      'Generated from a template',
    ]);

    const eve = await signIn(it_.stele, 'eve@example.com');
    await it_.stele.api
      .post('/v1/code/generate')
      .set(eve.bearer)
      .send({ template, parameters: { title: 'x' }, deploy: true, slug: 'ada-links' })
      .expect(409);
    const bad = await it_.ask({ template, parameters: { title: 'x' }, deploy: true, slug: 'www' }).expect(400);
    expect(bad.body.code).toBe('invalid_slug');
  });
});
