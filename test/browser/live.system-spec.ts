// needs: database, chromium

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../support/browser/chromium.js';
import { reusablePort } from '../support/service/reusable-port.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';
import { eventsOf, newRunId, tell } from '../support/sites/runs.js';

/** Returns a publisher's page that follows a run by EventSource and by WebSocket, and records the events. */
const page = (base: string, runId: string) => `<!doctype html><title>Watching</title><script>
const heard = [], said = [];
const source = new EventSource('${base}${eventsOf(runId)}');
for (const name of ['run.started', 'run.log', 'run.succeeded', 'end', 'reset']) {
  source.addEventListener(name, ({ type, data, lastEventId }) => heard.push({ type, id: lastEventId, data: JSON.parse(data) }));
}
const socket = new WebSocket('${base.replace('http', 'ws')}/v1/live');
socket.onopen = () => socket.send('{"op":"subscribe","stream":"run:${runId}"}');
socket.onmessage = ({ data }) => said.push(JSON.parse(data));
</script>`;

describe('Following a command’s output in a browser', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let browser: Browser;

  beforeAll(async () => {
    temporary = await temporaryFolder('browser-live');
    stele = await startStele({ folder: temporary.folder, env: { PORT: String(await reusablePort()) } });
    browser = await openBrowser();
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await stele?.stop();
    await temporary.remove();
  });

  it('each event appears once, even if the server restarts, and the browser stops reconnecting after the end', async () => {
    const runId = newRunId();
    const base = `http://localhost:${stele.port}`;
    const { body: site } = await stele.api.post('/v1/deploy').type('html').send(page(base, runId)).expect(200);
    const tab = await browser.newPage();
    const answers: number[] = [];
    tab.on('response', (response) => response.url().includes('/v1/cli/') && answers.push(response.status()));
    await tab.goto(site.url);

    await tell(stele, runId, 'run.started').expect(202);
    await tell(stele, runId, 'run.log', { text: 'before\n\nevent: end\ndata: x' }).expect(202);
    await tab.waitForFunction('heard.length === 2 && said.length === 2');

    const { port } = stele;
    expect(await stele.stop('SIGKILL')).toBe('SIGKILL');
    stele = await startStele({ folder: temporary.folder, env: { PORT: String(port) } });
    await tell(stele, runId, 'run.log', { text: 'after' }).expect(202);
    await tab.waitForFunction('heard.length === 3', undefined, { timeout: 20_000 });
    await tell(stele, runId, 'run.succeeded').expect(202);
    const gone = tab.waitForResponse((response) => response.status() === 204, { timeout: 20_000 });
    await tab.waitForFunction("heard.at(-1).type === 'end'");
    await gone;
    await tab.waitForFunction('source.readyState === EventSource.CLOSED');

    const heard = (await tab.evaluate('heard')) as { type: string; id: string; data: { data?: { text?: string } } }[];
    expect(heard.map(({ type, id, data }) => [type, id, data.data?.text])).toEqual([
      ['run.started', '1', undefined],
      ['run.log', '2', 'before\n\nevent: end\ndata: x'],
      ['run.log', '3', 'after'],
      ['run.succeeded', '4', undefined],
      ['end', '4', undefined],
    ]);
    expect(await tab.evaluate('said.map(({ id }) => id)')).toEqual([1, 2]);
    expect(answers).toEqual([200, 200, 204]);
  }, 120_000);
});
