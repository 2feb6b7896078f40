import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Generating, startGenerating } from '../../support/model/generating.js';
import { type Asked, manner } from '../../support/model/model-server.js';

describe('A caller who disconnects while a page is generated', () => {
  let it_: Generating;
  beforeAll(async () => {
    // The timeouts are so long that only a disconnecting client ends the model request.
    it_ = await startGenerating({ STELE_GENERATE_SILENCE: '600', STELE_GENERATE_SECONDS: '600' });
  }, 180_000);
  afterAll(() => it_.stop());

  it.each(['application/json', 'text/event-stream'])(
    'the model is stopped when the caller disconnects (%s)',
    async (accept) => {
      const asked = new Promise<Asked>((resolve) => {
        it_.model.answer((response, question) => {
          manner.fallsSilent('<!doctype html>')(response, question);
          resolve(question);
        });
      });
      const leaving = new AbortController();
      const answer = fetch(`${it_.stele.base}/v1/code/generate`, {
        method: 'POST',
        headers: { ...it_.ada.bearer, 'content-type': 'application/json', accept },
        body: JSON.stringify({ prompt: 'A page' }),
        signal: leaving.signal,
      });
      const heard = answer.then(({ body }) => body?.getReader().read()).catch(() => undefined);
      const { over } = await asked;
      if (accept === 'text/event-stream') await heard;
      leaving.abort();
      await over;
      await heard;
      expect(it_.stele.printed()).not.toContain('The client has closed the connection');
    },
  );
});
