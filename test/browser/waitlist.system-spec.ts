// needs: database, chromium

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../support/browser/chromium.js';
import { pageTemplates } from '../support/browser/page-templates.js';
import { connectedSite, waitForAgent } from '../support/connector/connected-site.js';
import { ExampleAgent } from '../support/connector/example-agent.js';
import { signIn } from '../support/people/sign-in.js';
import { waitForOutput } from '../support/service/output.js';
import { type Stele, startStele, temporaryFolder } from '../support/service/stele.js';

/** Work function of an agent that accepts and logs only email addresses at example.org. */
const TAKES = `async function work({ email }) {
  if (!email.endsWith('@example.org')) throw new Refused('Not from there.');
  console.log('took ' + email);
  return {};
}`;

describe('The waitlist page of a site with an agent', () => {
  let temporary: Awaited<ReturnType<typeof temporaryFolder>>;
  let stele: Stele;
  let browser: Browser;
  let agent: ExampleAgent;
  let url: string;

  beforeAll(async () => {
    temporary = await temporaryFolder('waitlist');
    stele = await startStele({ folder: temporary.folder });
    const ann = await signIn(stele, 'ann@example.org');
    const site = await connectedSite(stele, ann);
    url = site.url;
    const waitlist = (await pageTemplates()).find(({ name }) => name === 'waitlist');
    await stele.api
      .post('/v1/code/generate')
      .set(ann.bearer)
      .send({
        template: 'waitlist',
        parameters: { ...waitlist?.example, connector: true },
        deploy: true,
        slug: site.slug,
      })
      .expect(200);
    agent = await ExampleAgent.start('mjs', stele.base, site.token, TAKES);
    await waitForAgent(site, agent, { email: 'first@example.org' });
    browser = await openBrowser();
  }, 90_000);
  afterAll(async () => {
    await browser?.close();
    await agent?.stop();
    await stele?.stop();
    await temporary.remove();
  }, 60_000);

  it('the visitor’s address is sent to the agent, and the page shows the outcome', async () => {
    const page = await browser.newPage();
    await page.goto(url);
    const field = page.getByLabel('Your email address');
    await field.fill('ann@elsewhere.example');
    await page.getByRole('button', { name: 'Join the list' }).click();
    await page.getByText('Something went wrong. Try again, or write to us.').waitFor();
    await field.fill('ann@example.org');
    await page.getByRole('button', { name: 'Join the list' }).click();
    await page.getByText('Thank you. You are on the list.').waitFor();
    await waitForOutput(agent.printed, 'took ann@example.org');
    await page.close();
  });

  it('under the service’s own host, where agents can’t be called, the page offers a mail link', async () => {
    const page = await browser.newPage();
    await page.goto(`${stele.base}/s/${new URL(url).hostname.split('.')[0]}/`);
    expect(await page.getByRole('link', { name: 'Write to join the list' }).isVisible()).toBe(true);
    expect(await page.getByRole('button').count()).toBe(0);
    await page.close();
  });
});
