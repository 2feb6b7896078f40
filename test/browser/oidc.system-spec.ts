// needs: database, chromium

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { openServiceAndBrowser } from '../support/browser/service-and-browser.js';
import { RealProvider } from '../support/people/real-provider.js';
import type { Stele } from '../support/service/stele.js';

describe('Signing in with an identity provider in a browser', () => {
  let close: () => Promise<void>;
  let provider: RealProvider;
  let stele: Stele;
  let browser: Browser;
  let service: string;

  beforeAll(async () => {
    provider = await RealProvider.open({ ann: { email: 'ann@example.org', email_verified: true, name: 'Ann' } });
    ({ stele, browser, close } = await openServiceAndBrowser('oidc', provider.env));
    // To the browser, the provider at 127.0.0.1 is a different site than localhost.
    service = `http://localhost:${stele.port}`;
    provider.serve(service);
  }, 60_000);
  afterAll(async () => {
    await close?.();
    await provider?.close();
  });

  it('a user goes from the sign-in page to their list of sites, and stays signed in', async () => {
    const context = await browser.newContext();
    const tab = await context.newPage();
    await tab.goto(`${service}/sign-in`);
    await tab.getByRole('link', { name: 'Sign in with Example & Co' }).click();
    await tab.waitForURL(`${provider.issuer}/interaction/**`);
    await tab.fill('[name=login]', 'ann');
    await tab.fill('[name=password]', 'any');
    await tab.getByRole('button', { name: 'Sign-in' }).click();
    await tab.getByRole('button', { name: 'Continue' }).click();
    await tab.waitForURL(`${service}/sites`);
    expect(await tab.textContent('h1')).toBe('Your sites');

    await tab.reload();
    expect(await tab.textContent('h1')).toBe('Your sites');
    const me = await tab.goto(`${service}/v1/me`);
    expect(await me?.json()).toMatchObject({ email: 'ann@example.org', name: 'Ann' });
    const cookies = await context.cookies(service);
    expect(cookies.find(({ name }) => name === 'stele_session')).toMatchObject({ httpOnly: true, sameSite: 'Lax' });
    await context.close();
  }, 60_000);

  it('if another site starts the sign-in, the user must confirm it with a click', async () => {
    const context = await browser.newContext();
    const tab = await context.newPage();
    await tab.goto(`${provider.issuer}/.well-known/openid-configuration`);
    await tab.evaluate(`location.href = '${service}/v1/auth/idp?returnTo=/sites'`);
    const link = tab.getByRole('link', { name: 'Sign in with Example & Co' });
    await link.waitFor();
    expect(await context.cookies(service)).toEqual([]);
    await link.click();
    await tab.waitForURL(`${provider.issuer}/interaction/**`);
    await context.close();
  }, 60_000);
});
