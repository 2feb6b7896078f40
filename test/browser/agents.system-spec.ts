// needs: database, chromium

import type { Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  auth,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
  type StoredOAuthClientInformation,
} from '@modelcontextprotocol/client';
import type { Browser, Page } from 'playwright-core';
import { agentOf } from '../support/agents/agents.js';
import { openServiceAndBrowser } from '../support/browser/service-and-browser.js';
import { AgentProgram, grantsOf, homeOf } from '../support/people/agent-program.js';
import { newestMail, signIn } from '../support/people/sign-in.js';
import { listening } from '../support/people/terminal-sign-in.js';
import type { Stele } from '../support/service/stele.js';

/** The storage and the browser that the official SDK's OAuth client requires. */
class Kept implements OAuthClientProvider {
  client: StoredOAuthClientInformation | undefined;
  given: OAuthTokens | undefined;
  opened: URL | undefined;
  #verifier = '';
  #found: OAuthDiscoveryState | undefined;

  readonly clientMetadata;

  constructor(readonly redirectUrl: string) {
    this.clientMetadata = { client_name: 'The official client', redirect_uris: [redirectUrl] };
  }

  state = () => 'of-this-program';
  clientInformation = () => this.client;
  saveClientInformation = (client: StoredOAuthClientInformation) => {
    this.client = client;
  };
  tokens = () => this.given;
  saveTokens = (tokens: OAuthTokens) => {
    this.given = tokens;
  };
  redirectToAuthorization = (url: URL) => {
    this.opened = url;
  };
  saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier;
  };
  codeVerifier = () => this.#verifier;
  saveDiscoveryState = (found: OAuthDiscoveryState) => {
    this.#found = found;
  };
  discoveryState = () => this.#found;
}

describe('Approving a connected app in a browser', () => {
  let close: () => Promise<void>;
  let stele: Stele;
  let browser: Browser;
  let resource: ReturnType<typeof grantsOf>;
  const servers: Server[] = [];

  beforeAll(async () => {
    ({ stele, browser, close } = await openServiceAndBrowser('agents'));
    resource = grantsOf(stele);
  }, 60_000);
  afterAll(async () => {
    for (const server of servers) server.close();
    await resource?.close();
    await close?.();
  });

  const freshTab = async () => (await browser.newContext()).newPage();
  const heading = (tab: Page) => tab.textContent('h1');
  const press = (tab: Page, name: string) => tab.getByRole('button', { name, exact: true }).click();
  const signInByLink = async (tab: Page, email: string) => {
    await tab.fill('input[name=email]', email);
    await press(tab, 'Send me a link');
    await tab.waitForSelector('input[name=code]');
    const { path } = await newestMail(stele, email);
    await tab.goto(homeOf(stele) + path);
  };
  const waiting = async () => {
    const at = await listening();
    servers.push(at.server);
    return at;
  };
  const serverUrl = () => `${homeOf(stele)}/mcp`;

  it('the official MCP client can register, get approval, and use, refresh and revoke its tokens', async () => {
    const { brought, redirect_uri } = await waiting();
    const kept = new Kept(redirect_uri);
    expect(await auth(kept, { serverUrl: serverUrl() })).toBe('REDIRECT');
    expect(kept.client?.client_id).toMatch(/^cli_/);
    const tab = await freshTab();
    await tab.goto(String(kept.opened));
    expect(await heading(tab)).toBe('Sign in');
    await signInByLink(tab, 'ann@agents-page.example.org');
    expect(await heading(tab)).toBe('Allow an app to act for you?');
    expect(await tab.textContent('main')).toContain('The official client');
    await press(tab, 'Allow');
    const query = await brought;
    await tab.waitForURL(/^http:\/\/127\.0\.0\.1:/);
    expect(query.get('state')).toBe('of-this-program');
    const answer = { authorizationCode: query.get('code') ?? '', iss: query.get('iss') ?? '' };
    expect(await auth(kept, { serverUrl: serverUrl(), ...answer })).toBe('AUTHORIZED');
    const first = kept.given;
    const grant = await resource.grants.find(first?.access_token ?? '', serverUrl());
    expect([grant.clientName, grant.siteIds]).toEqual(['The official client', null]);
    const agent = await agentOf(stele, { token: first?.access_token ?? '' });
    const made = await agent.call('deploy_html', { html: '<h1>By a tool</h1>', slug: 'by-a-tool' });
    expect(made.answer).toMatchObject({ slug: 'by-a-tool' });
    expect((await agent.call('list_sites')).answer.items).toMatchObject([{ slug: 'by-a-tool' }]);
    await agent.close();

    expect(await auth(kept, { serverUrl: serverUrl() })).toBe('AUTHORIZED');
    expect(kept.given?.access_token).not.toBe(first?.access_token);
    await resource.grants.find(kept.given?.access_token ?? '', serverUrl());

    const token = kept.given?.refresh_token ?? '';
    const body = new URLSearchParams({ token, client_id: kept.client?.client_id ?? '' });
    expect((await fetch(`${homeOf(stele)}/oauth/revoke`, { method: 'POST', body })).status).toBe(200);
    await expect(resource.grants.find(kept.given?.access_token ?? '', serverUrl())).rejects.toMatchObject({
      code: 'unauthenticated',
    });
    await expect(agentOf(stele, { token: kept.given?.access_token ?? '' })).rejects.toThrow();
  }, 60_000);

  it('an app can be approved for a single site, and disconnected on the Connected apps page', async () => {
    const { bearer } = await signIn(stele, 'ben@agents-page.example.org');
    const { body: one } = await stele.api.post('/v1/deploy').set(bearer).type('html').send('1').expect(200);
    const { body: two } = await stele.api.post('/v1/deploy').set(bearer).type('html').send('2').expect(200);
    const { brought, redirect_uri } = await waiting();
    const program = new AgentProgram(
      stele,
      (await AgentProgram.registered(stele, { redirect_uris: [redirect_uri], client_name: 'Chooser' })).clientId,
      redirect_uri,
    );
    const { href, verifier } = program.request({ scope: 'read publish manage' });
    const tab = await freshTab();
    await tab.goto(href);
    await signInByLink(tab, 'ben@agents-page.example.org');
    await tab.getByLabel('Only these:').check();
    await tab.getByLabel(one.slug).check();
    await press(tab, 'Allow');
    const code = (await brought).get('code') ?? '';
    await tab.waitForURL(/^http:\/\/127\.0\.0\.1:/);
    const { body } = await program.exchange({ code, code_verifier: verifier }).expect(200);
    const { body: list } = await stele.api.get('/v1/me/grants').set(bearer).expect(200);
    expect(list.items[0].sites).toEqual([one.slug]);
    const agent = await agentOf(stele, { token: body.access_token });
    const items = (await agent.call('list_sites')).answer.items as { slug: string }[];
    expect(items.map(({ slug }) => slug)).toEqual([one.slug]);
    expect((await agent.call('list_deploys', { slug: one.slug })).answer.total).toBe(1);
    expect((await agent.call('redeploy', { slug: one.slug, html: '1 again' })).isError).toBe(false);
    for (const [tool, given] of [
      ['list_deploys', { slug: two.slug }],
      ['redeploy', { slug: two.slug, html: 'No' }],
      ['deploy_html', { html: 'No' }],
    ] as const)
      expect([tool, (await agent.call(tool, given)).isError]).toEqual([tool, true]);
    expect((await stele.visit(two.slug).expect(200)).text).toBe('2');
    await agent.close();
    await tab.goto(`${homeOf(stele)}/programs`);
    const shown = await tab.textContent('main');
    expect(shown).toContain(one.slug);
    expect(shown).not.toContain(two.slug);
    await press(tab, 'Revoke access for Chooser');
    await tab.getByText('No apps can act for you.').waitFor();
    await expect(resource.grants.find(body.access_token, serverUrl())).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  }, 60_000);

  it('the user can deny access, and other sites can’t show the approval page in a frame', async () => {
    const { brought, redirect_uri } = await waiting();
    const { clientId } = await AgentProgram.registered(stele, { redirect_uris: [redirect_uri] });
    const program = new AgentProgram(stele, clientId, redirect_uri);
    const tab = await freshTab();
    await tab.goto(program.request().href);
    await signInByLink(tab, 'cleo@agents-page.example.org');
    const consent = tab.url();
    await press(tab, 'Deny');
    const query = await brought;
    expect([query.get('error'), query.get('code')]).toEqual(['access_denied', null]);
    const around = await tab.context().newPage();
    const refused = around.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
    await around.setContent(`<iframe src="${consent}"></iframe>`);
    expect((await refused).type()).toBe('error');
    const [, frame] = around.frames();
    await frame?.waitForLoadState().catch(() => undefined);
    expect(await frame?.content()).not.toContain('cleo@agents-page.example.org');
  }, 60_000);
});
