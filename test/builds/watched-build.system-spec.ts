// needs: database, git, bubblewrap, chromium

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { BreakableNetwork } from '../support/browser/breakable-network.js';
import { openBrowser } from '../support/browser/chromium.js';
import { EventStreamClient } from '../support/service/event-stream-client.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';
import { GitHost } from '../support/sites/git-host.js';
import { eventsOf, jobOver, jobWhen, linesOf } from '../support/sites/jobs.js';

const { source: axe } = createRequire(import.meta.url)('axe-core/axe.min.js') as { source: string };

const TERMINAL = { accept: 'text/plain' };

const PUBLISHED = `mkdirSync('dist', { recursive: true }); writeFileSync('dist/index.html', '<title>Built</title>');`;
const project = (script: string) => ({
  'package.json': JSON.stringify({ private: true, scripts: { build: 'node make.mjs' } }),
  'make.mjs': `import { mkdirSync, writeFileSync, writeSync } from 'node:fs';\n${script}`,
});

/** A build that prints the time every 20 ms until it is stopped. */
const ticking = `console.log('x'.repeat(500)); setInterval(() => console.log('at ' + Date.now()), 20);`;

const colourful = `console.log('\\u001b[1;31mred\\u001b[0m \\u001b[38;5;208morange\\u001b[39m \\u001b[48;2;0;95;135mground\\u001b[49m plain');
console.log('<img src=x onerror=alert(1)>\\u001b]8;;https://evil.example\\u0007a link\\u001b]8;;\\u0007');
console.error('careful'); ${PUBLISHED}`;

/** A build that fails after it has printed more lines than a window shows. */
const failing = `for (let n = 1; n <= 200; n++) console.log('line ' + n);
console.log('the reason'); process.exitCode = 1;`;

const MEBI = 1_048_576;
/** A build that prints more than a log can store, in lines of 1 KiB. */
const flooding = `const lines = ('x'.repeat(1_023) + '\\n').repeat(1_024);
for (let n = 0; n < 100; n++) writeSync(1, lines.slice(0, 65_536).repeat(16));
${PUBLISHED}`;

describe('Watching a build in a browser', () => {
  let host: GitHost;
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let browser: Browser;
  let network: BreakableNetwork;
  let letCopy: () => void = () => undefined;
  let canCopy = Promise.resolve();

  beforeAll(async () => {
    host = await GitHost.open(async ({ method }) => {
      if (method === 'POST') await canCopy;
      return false;
    });
    temporary = await temporaryFolder('watched-build');
    browser = await openBrowser();
    network = await BreakableNetwork.open();
    const env = { STELE_REPO_HOSTS: host.listed, STELE_BUILDER: 'bubblewrap' };
    stele = await startStele({ folder: temporary.folder, env });
  }, 120_000);
  afterAll(async () => {
    letCopy();
    await browser?.close();
    await network?.close();
    await stele?.stop();
    await host?.close();
    await temporary.remove();
  });

  const holdCopies = () => {
    canCopy = new Promise((resolve) => (letCopy = resolve));
  };
  async function deploy(name: string, script: string) {
    host.commit(name, project(script));
    const { body } = await stele.api
      .post('/v1/repo/deploy')
      .send({ url: host.url(name) })
      .expect(200);
    return body as { jobId: string; slug: string; editToken: string };
  }
  /** Opens the job's `eventsUrl`, and collects script, style and content-security-policy errors. */
  async function watch(jobId: string, viewport = { width: 1280, height: 800 }) {
    const context = await browser.newContext({ viewport, proxy: network.proxy });
    const tab = await context.newPage();
    const faults: string[] = [];
    tab.on('pageerror', (error) => faults.push(String(error)));
    tab.on('console', (said) => said.type() === 'error' && faults.push(said.text()));
    await tab.goto(`http://localhost:${stele.port}/v1/jobs/${jobId}/events`);
    expect(new URL(tab.url()).pathname).toBe(`/jobs/${jobId}`);
    return { tab, faults };
  }
  const stateOf = (tab: Page, words: string) => tab.locator('#state', { hasText: words }).waitFor({ timeout: 60_000 });
  /** Waits for a condition. The page's policy forbids `waitForFunction`, because it evaluates a string. */
  const until = async (tab: Page, isSo: string) => {
    while (!(await tab.evaluate(isSo))) await tab.evaluate('new Promise(requestAnimationFrame)');
  };
  const numbersOn = (tab: Page) => tab.$$eval('.log li[id]', (lines) => lines.map(({ id }) => Number(id.slice(1))));
  const textsOn = (tab: Page) => tab.$$eval('.log li code', (lines) => lines.map(({ textContent }) => textContent));

  it('the page shows the build step by step, in color, until the site’s address appears', async () => {
    holdCopies();
    const { jobId, slug } = await deploy('colourful', colourful);
    await jobWhen(stele, jobId, ({ steps }) => steps[0]?.status === 'running');
    const { tab, faults } = await watch(jobId);
    await stateOf(tab, 'Cloning the repository');
    await tab.evaluate('window.stays = true');
    letCopy();
    await stateOf(tab, 'Online');
    expect(await tab.evaluate('window.stays')).toBe(true);
    expect(await tab.$$eval('.steps li', (steps) => steps.map(({ textContent }) => textContent?.trim()))).toEqual(
      ['clone', 'detect', 'install', 'build', 'publish'].map((name) =>
        expect.stringMatching(new RegExp(`^${name} (done|running) [\\d.]+ s$`)),
      ),
    );

    const shown = await tab.$$eval('.log li code span', (all) => all.map((each) => [each.className, each.textContent]));
    expect(shown).toEqual(
      expect.arrayContaining([
        ['f1 sb', 'red'],
        ['f208', 'orange'],
        ['b24', 'ground'],
      ]),
    );
    expect(await textsOn(tab)).toContain('<img src=x onerror=alert(1)>a link');
    expect(await tab.$$('.log img, .log a:not([href^="#L"])')).toEqual([]);
    expect(await tab.$$eval('.log .err', (lines) => lines.map((line) => line.textContent))).toContainEqual(
      expect.stringContaining('careful'),
    );
    expect(faults).toEqual([]);

    for (const colorScheme of ['light', 'dark'] as const) {
      await tab.emulateMedia({ colorScheme });
      await tab.evaluate(axe);
      const { violations } = (await tab.evaluate('axe.run()')) as AxeResults;
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    }

    // In a browser without scripts, the log rendered by the server looks like the live log.
    const events = await eventsOf(stele, jobId);
    const live = await tab.$eval('.log', (log) => log.innerHTML);
    const plain = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    await plain.goto(tab.url());
    expect(await plain.$eval('.log', (log) => log.innerHTML)).toBe(live);
    expect(await numbersOn(plain)).toEqual(linesOf(events).map(({ n }) => n));
    await plain.click('#state a');
    expect(new URL(plain.url()).host).toBe(`${slug}.localhost:${stele.port}`);
    expect(await plain.title()).toBe('Built');

    const coloured = `${stele.base}/v1/jobs/${jobId}/events?color=1`;
    const text = await (await fetch(coloured, { headers: TERMINAL })).text();
    const uncoloured = await (await fetch(`${stele.base}/v1/jobs/${jobId}/events`, { headers: TERMINAL })).text();
    expect(uncoloured).toContain('red orange ground plain\n');
    expect(uncoloured).not.toContain('\u001b');
    expect(text).toContain('\u001b[1;31mred\u001b[0m \u001b[38;5;208morange');
    expect(text).toMatch(new RegExp(`Online:\\S* http://${slug}\\.localhost:${stele.port}/\\n$`));
    const asText = await (await fetch(`${stele.base}/jobs/${jobId}/log`, { headers: { accept: 'text/html' } })).text();
    expect(asText).toContain('red orange ground plain\n');
    expect(asText).not.toContain('\u001b');
  }, 120_000);

  it('on a phone, the page neither loses nor repeats lines after a reconnect, and its button stops the build', async () => {
    const { jobId, editToken } = await deploy('ticking', ticking);
    /** Delays between the printing of each line and its arrival. */
    const delays: number[] = [];
    const medianOf = (times: readonly number[]) => times.toSorted((one, other) => one - other)[times.length >> 1] ?? 0;
    const stream = new EventStreamClient(`${stele.base}/v1/jobs/${jobId}/events`);
    const heard = stream.until(({ event, data }) => {
      const [, at] = /^at (\d+)$/.exec(event === 'job.log' ? data.lines[0].text : '') ?? [];
      if (at) delays.push(Date.now() - Number(at));
      // Lines can arrive late while the machine is busy, but some 20 consecutive lines must be on time.
      return delays.length >= 20 && medianOf(delays.slice(-20)) < 2_000;
    });
    const { tab, faults } = await watch(jobId, { width: 390, height: 760 });
    await stateOf(tab, 'Building');
    await heard;

    const lastOn = async () => (await numbersOn(tab)).at(-1) ?? 0;
    network.cut();
    await tab.locator('#link', { hasText: 'lost' }).waitFor();
    const cutAt = await lastOn();
    await stream.until(({ event, data }) => event === 'job.log' && data.lines.at(-1).n > cutAt + 100);
    expect(await lastOn()).toBe(cutAt);
    network.mend();
    await tab.locator(`#L${cutAt + 100}`).waitFor();
    expect(await tab.textContent('#link')).toBe('');
    expect(await tab.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);

    // The page scrolls with the log until the reader scrolls away or selects a line. The button resumes scrolling.
    await until(tab, 'scrollY > 200');
    await tab.focus('.log');
    await tab.keyboard.press('ArrowDown');
    await tab.keyboard.press('Enter');
    expect(await tab.evaluate('location.hash')).toMatch(/^#L\d+$/);
    // The page reacts to its new URL asynchronously.
    await tab.locator('.chosen').waitFor();
    expect(await tab.$$eval('.chosen', (lines) => lines.length)).toBe(1);
    await tab.focus('#follow');
    await tab.keyboard.press('Enter');
    await until(tab, 'innerHeight + scrollY >= document.documentElement.scrollHeight - 100');

    await tab.focus('summary');
    await tab.keyboard.press('Enter');
    await tab.fill('[name=editToken]', editToken);
    await tab.keyboard.press('Enter');
    await stateOf(tab, 'Stopped');
    expect(await jobOver(stele, jobId)).toMatchObject({ status: 'stopped' });
    stream.cut();
    const recorded = linesOf(await eventsOf(stele, jobId)).map(({ n }) => n);
    expect(recorded).toEqual(recorded.map((_, at) => at + 1));
    expect(await numbersOn(tab)).toEqual(recorded);
    expect(await tab.$$('#stop:not([hidden])')).toEqual([]);
    expect(
      faults.filter((fault) => !/ERR_(EMPTY_RESPONSE|INCOMPLETE|PROXY|CONNECTION|SOCKET|TUNNEL)/.test(fault)),
    ).toEqual([]);
  }, 120_000);

  it('the page of a failed job opens at the end of its log, unless its URL links to lines', async () => {
    const { jobId } = await deploy('failing', failing);
    expect(await jobOver(stele, jobId)).toMatchObject({ status: 'failed' });
    const lines = linesOf(await eventsOf(stele, jobId));
    const last = lines.at(-1)?.n;
    const reason = lines.find(({ text }) => text === 'the reason')?.n;
    const linesInView = (tab: Page): Promise<string[]> =>
      tab.evaluate(`[...document.querySelectorAll('.log li[id]')].filter((line) => {
        const { top, bottom } = line.getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
      }).map(({ id }) => id)`);

    const { tab, faults } = await watch(jobId);
    expect(await tab.evaluate('innerHeight + scrollY >= document.documentElement.scrollHeight - 1')).toBe(true);
    expect(await linesInView(tab)).toEqual(expect.arrayContaining([`L${reason}`, `L${last}`]));

    await tab.evaluate('scrollTo(0, 0)');
    expect(await linesInView(tab)).not.toContain(`L${last}`);
    await tab.getByRole('link', { name: 'Go to the last line' }).click();
    await tab.locator('.chosen').waitFor();
    expect(await tab.$$eval('.chosen', (all) => all.map(({ id }) => id))).toEqual([`L${last}`]);
    expect(await linesInView(tab)).toContain(`L${last}`);

    // The browser itself would scroll to a single line, but it does not know ranges.
    const linked = await tab.context().newPage();
    await linked.goto(`http://localhost:${stele.port}/jobs/${jobId}#L2-L3`);
    await linked.locator('#L3.chosen').waitFor();
    const shown = await linesInView(linked);
    expect(shown).toContain('L2');
    expect(shown).not.toContain(`L${last}`);
    expect(faults).toEqual([]);
  }, 120_000);

  it('a build that logs more than the limit continues, and the log ends with a line about the limit', async () => {
    const before = await peakMemory();
    const { jobId } = await deploy('flooding', flooding);
    expect(await jobOver(stele, jobId)).toMatchObject({ status: 'succeeded' });
    const lines = linesOf(await eventsOf(stele, jobId));
    const said = lines.reduce((sum, { text }) => sum + text.length, 0);
    expect(said).toBeGreaterThan(15 * MEBI);
    expect(said).toBeLessThan(17 * MEBI);
    expect(lines.at(-1)?.text).toMatch(/^The log is full .*16 MiB.* the job continues/);
    expect((await peakMemory()) - before).toBeLessThan(300 * MEBI);

    const page = await (await fetch(`${stele.base}/jobs/${jobId}`)).text();
    expect(page.length).toBeLessThan(4 * MEBI);
    expect(page).toContain('earlier lines not shown');
  }, 120_000);

  async function peakMemory(): Promise<number> {
    const status = await readFile(`/proc/${stele.child.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1_024;
  }
});
