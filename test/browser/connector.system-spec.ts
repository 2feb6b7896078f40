// needs: database, chromium

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../support/browser/chromium.js';
import { connectedSite, waitForAgent } from '../support/connector/connected-site.js';
import { ExampleAgent } from '../support/connector/example-agent.js';
import { DomainsUnderTest } from '../support/dns/domains-under-test.js';
import { rawRequestsTo } from '../support/service/raw-request.js';

const PAGE = `<!doctype html><title>Ask</title><h1>Ask</h1><script type="module">
  import { invoke } from '/.stele/connector.js';
  globalThis.ask = async (input, options = {}) => {
    const parts = [];
    const given = options.parts ? { ...options, onPartial: (part) => parts.push(part) } : options;
    try { return { parts, output: await invoke(input, given) }; }
    catch ({ name, code, status, message }) { return { parts, name, code, status, message }; }
  };
</script>`;

/** Work function of an agent that adds up numbers, sends each partial sum, and refuses other input. */
const SUMS = `async function work(input, { partial }) {
  if (!Array.isArray(input)) throw new Refused('I can only sum up.');
  let sum = 0;
  for (const number of input) await partial({ sum: (sum += number) });
  await delay(input[0] > 1_000 ? input[0] : 0);
  return sum;
}`;

const HOSTNAME = 'agents.example.org';

describe('A page that sends work to its site’s agent', () => {
  let under: DomainsUnderTest;
  let browser: Browser;
  let site: Awaited<ReturnType<typeof connectedSite>>;
  let agent: ExampleAgent;
  let page: Page;

  beforeAll(async () => {
    const opening = openBrowser(`--host-resolver-rules=MAP ${HOSTNAME} 127.0.0.1`);
    under = await DomainsUnderTest.start({ STELE_RATE_LIMITS: 'on', STELE_TRUSTED_PROXIES: '127.0.0.1' });
    browser = await opening;
    site = await connectedSite(under.stele, under.ann, [{ path: 'index.html', content: PAGE }]);
    agent = await ExampleAgent.start('mjs', under.stele.base, site.token, SUMS);
    await waitForAgent(site, agent, [0]);
  }, 90_000);
  afterAll(async () => {
    await browser?.close();
    await agent?.stop();
    await under?.close();
  }, 60_000);
  beforeEach(async () => {
    page = await browser.newPage();
  });
  afterEach(() => page.close());

  const open = async (url: string) => {
    await page.goto(url);
    await page.waitForFunction('globalThis.ask');
  };
  const ask = (input: unknown, options: object = {}) =>
    page.evaluate(`ask(${JSON.stringify(input)}, ${JSON.stringify(options)})`);
  const from = () => rawRequestsTo(under.stele.port, new URL(site.url).host);
  const invocations = async () =>
    (await under.stele.api.get(`/v1/sites/${site.slug}/connector/invocations`).set(under.ann.bearer).expect(200)).body
      .total as number;

  it('the page receives partial results from the agent, and then the final result', async () => {
    await open(site.url);
    expect(await ask([1, 2, 3], { parts: true })).toEqual({ parts: [{ sum: 1 }, { sum: 3 }, { sum: 6 }], output: 6 });
    expect(await ask([4, 5])).toEqual({ parts: [], output: 9 });
  });

  it('the example code in /llms.txt works unmodified', async () => {
    const { text } = await under.stele.api.get('/llms.txt').expect(200);
    const [lines] = /^const answer = await fetch\('\/\.stele\/invoke'.*\n.*answer\.json\(\);/m.exec(text) ?? [];
    await open(site.url);
    const answered = await page.evaluate(`(async () => { ${lines}\nreturn { status, output, error }; })()`);
    expect(answered).toEqual({ status: 'failed', error: { message: 'I can only sum up.' } });
  });

  it('the page receives the result on a custom domain', async () => {
    await under.active(site.slug, HOSTNAME);
    await open(`http://${HOSTNAME}:${under.stele.port}/`);
    expect(await ask([1, 1], { parts: true })).toEqual({ parts: [{ sum: 1 }, { sum: 2 }], output: 2 });
  }, 60_000);

  it('the page continues waiting after one request times out, with or without partial results', async () => {
    await open(site.url);
    const before = await invocations();
    expect(await ask([3_000], { wait: 1 })).toEqual({ parts: [], output: 3_000 });
    expect(await ask([3_000], { wait: 1, parts: true })).toMatchObject({ output: 3_000 });
    expect(await invocations()).toBe(before + 2);
  }, 60_000);

  it('if the page loses its connection, it still receives the result, and the work is done only once', async () => {
    await open(site.url);
    const before = await invocations();
    let lost = 0;
    await page.route('**/.stele/invoke', async (route) => {
      if (lost++ > 0) return route.continue();
      // The service receives the request, but the browser does not get the response.
      const { host: _, ...headers } = await route.request().allHeaders();
      await from()('/.stele/invoke', headers, 'POST', route.request().postData() ?? '');
      await route.abort('connectionreset');
    });
    expect(await ask([7])).toEqual({ parts: [], output: 7 });
    expect([lost, await invocations()]).toEqual([2, before + 1]);
  }, 60_000);

  it('the page receives the agent’s reason for refusing the work', async () => {
    await open(site.url);
    for (const parts of [true, false])
      expect(await ask('a word', { parts })).toEqual({
        parts: [],
        name: 'InvokeError',
        code: 'failed',
        status: 200,
        message: 'I can only sum up.',
      });
  });

  it('the page can stop waiting for the agent', async () => {
    await open(site.url);
    const stopped = await page.evaluate(`(async () => {
      const { invoke } = await import('/.stele/connector.js');
      return invoke([2_000], { signal: AbortSignal.timeout(300) }).catch(({ name }) => name);
    })()`);
    expect(stopped).toBe('TimeoutError');
  });

  it('input for the agent that is too large is refused immediately', async () => {
    await open(site.url);
    const outcome = await page.evaluate(`ask('x'.repeat(300_000))`);
    expect(outcome).toMatchObject({ code: 'too_large', status: 413 });
  });

  it('a page of a password-protected site can send work', async () => {
    const hidden = await connectedSite(under.stele, under.ann, [{ path: 'index.html', content: PAGE }]);
    const access = { visibility: 'password', password: 'open sesame' };
    await under.stele.api.post(`/v1/sites/${hidden.slug}/access`).set(under.ann.bearer).send(access).expect(200);
    const own = await ExampleAgent.start('mjs', under.stele.base, hidden.token, SUMS);
    try {
      await waitForAgent(hidden, own, [0]);
      await page.goto(hidden.url);
      await page.fill('input[name=password]', 'open sesame');
      await page.click('button');
      await page.waitForFunction('globalThis.ask');
      expect(await ask([2, 2], { parts: true })).toMatchObject({ output: 4 });
    } finally {
      await own.stop();
    }
  }, 60_000);

  it('a page can send work only to its own site’s agent', async () => {
    const stranger = await connectedSite(under.stele, under.bob, [{ path: 'index.html', content: PAGE }]);
    await open(stranger.url);
    const before = await invocations();
    const outcomes = await page.evaluate(`(async () => {
      const body = JSON.stringify({ input: [1], wait: 1 });
      const sent = (address, init) => fetch(address, { method: 'POST', body, ...init }).then((answer) => answer.type, () => 'refused');
      const theirs = '${site.url}.stele/invoke';
      const json = { 'content-type': 'application/json' };
      const { invoke } = await import('${site.url}.stele/connector.js');
      return {
        plain: await sent(theirs, { headers: json }),
        cookies: await sent(theirs, { headers: json, credentials: 'include' }),
        blind: await sent(theirs, { mode: 'no-cors' }),
        api: await fetch('${under.stele.base.replace('127.0.0.1', 'localhost')}/v1/sites/${site.slug}/connector/invoke', { method: 'POST', headers: json, body }).then(({ status }) => status),
        module: await invoke([1]).catch(({ code }) => code),
      };
    })()`);
    expect(outcomes).toEqual({ plain: 'refused', cookies: 'refused', blind: 'refused', api: 403, module: 'no_agent' });
    expect(await invocations()).toBe(before);
  }, 60_000);

  it('the page gets its result even while its site is flooded with requests', async () => {
    await open(site.url);
    const body = JSON.stringify({ input: [1], wait: 0 });
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.7' };
    const flood = Array.from({ length: 200 }, () => from()('/.stele/invoke', headers, 'POST', body));
    const answered = ask([20, 22], { parts: true });
    const statuses = (await Promise.all(flood)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(100);
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
    expect(await answered).toMatchObject({ output: 42 });
    expect((await site.invoke([1, 2]).expect(200)).body.output).toBe(3);
  }, 60_000);
});
