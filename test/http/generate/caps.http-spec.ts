import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Generating, startGenerating } from '../../support/model/generating.js';
import { manner } from '../../support/model/model-server.js';
import { goodPage } from '../../support/model/pages.js';
import { signIn } from '../../support/people/sign-in.js';
import { startStele, temporaryFolder } from '../../support/service/stele.js';

describe('The daily limit on prompts', () => {
  let it_: Generating;
  beforeAll(async () => {
    it_ = await startGenerating({ STELE_GENERATE_PER_DAY: '2', STELE_GENERATE_PER_DAY_IN_ALL: '3' });
  }, 180_000);
  afterAll(() => it_.stop());

  it('prompts are limited per user and in total, and prompts that cost nothing are not counted', async () => {
    it_.model.answer(manner.status(401));
    for (let n = 0; n < 4; n++) await it_.ask({ prompt: 'x' }).expect(503);

    it_.model.answer(manner.says(goodPage()));
    await it_.ask({ prompt: 'x' }).expect(200);
    it_.model.answer(manner.says('no'));
    await it_.ask({ prompt: 'x' }).expect(422);
    const asked = it_.model.asked.length;
    const { body, headers } = await it_.ask({ prompt: 'x' }).expect(429);
    expect(body.code).toBe('quota_exceeded');
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(86_400);

    const grace = await signIn(it_.stele, 'grace@example.com');
    const as = (body: object) => it_.stele.api.post('/v1/code/generate').set(grace.bearer).send(body);
    it_.model.answer(manner.says(goodPage()));
    await as({ prompt: 'x' }).expect(200);
    expect((await as({ prompt: 'x' }).expect(429)).body.detail).toContain('This service has used all');
    expect(it_.model.asked.length).toBe(asked + 1);
    await as({ template: 'links-for-tests', parameters: { title: 'x' } }).expect(200);
  });
});

describe('A service without a model', () => {
  it('without a model, a prompt is refused with 503, and /health reports that no model is configured', async () => {
    const { folder, remove } = await temporaryFolder('no-model');
    const stele = await startStele({ folder });
    const { bearer } = await signIn(stele, 'ada@example.com');
    const { body } = await stele.api.post('/v1/code/generate').set(bearer).send({ prompt: 'x' }).expect(503);
    expect([body.code, body.retryable]).toEqual(['generator_unavailable', false]);
    expect((await stele.raw.get('/health').expect(200)).body.checks.generator).toEqual({ model: 'none' });
    await stele.stop();
    await remove();
  }, 180_000);
});
