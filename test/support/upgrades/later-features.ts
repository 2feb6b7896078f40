import { hash } from 'node:crypto';
import type { HandingOut } from './handed-out.js';
import type { ServiceAsked } from './service-asked.js';

/**
 * Uses the features that were added after the first version and exist in this one. `knows` reports whether this version
 * has an operation, such as `post /v1/…`.
 */
export async function laterFeatures(
  service: ServiceAsked,
  out: HandingOut,
  knows: (operation: string) => boolean,
  /** URL of a token issuer whose host the operator has allowed. */
  issuer: string,
): Promise<void> {
  const headers = out.callers.ann ?? {};
  const act = <Answer = unknown>(path: string, body: object | string, method = 'POST', more = {}) =>
    service.get<Answer>({ method, path, headers: { ...headers, ...more }, body });
  const site = async (slug: string) => {
    await act(`/v1/deploy?slug=${slug}`, `<h1>${slug}</h1>`, 'POST', { 'content-type': 'text/html' });
    return `/v1/sites/${slug}`;
  };

  if (knows('post /v1/sites/{slug}/connector/invoke')) {
    const path = await site('wired');
    await act(`${path}/capabilities`, { name: 'connector', enabled: true });
    const { token } = await act<{ token: string }>(`${path}/connector/tokens`, { name: 'an agent' });
    const agent = { authorization: `Bearer ${token}` };
    out.callers.connector = agent;
    // Calls are refused with `no_agent` until an agent has polled.
    await service.ask({ path: '/v1/connector/poll?wait=0', headers: agent });
    const invoked = act(`${path}/connector/invoke`, { input: { a: 1 } });
    const { id } = await service.get<{ id: string }>({ path: '/v1/connector/poll?wait=10', headers: agent });
    const answer = { output: { b: 2 } };
    await service.get({ path: `/v1/connector/result/${id}`, headers: agent, body: answer });
    await invoked;
    out.read(`${path}/connector/tokens`, 'ann');
  }
  if (knows('get /v1/sites/{slug}/analytics')) {
    const path = await site('counted');
    await act(`${path}/capabilities`, { name: 'analytics', enabled: true });
    for (const page of ['/', '/', '/missing']) await service.ask({ site: 'counted', path: page });
    out.readSite('counted', 'ann');
  }
  if (knows('post /v1/sites/{slug}/tokens')) {
    const path = await site('scripted');
    const { token } = await act<{ token: string }>(`${path}/tokens`, { name: 'CI', role: 'editor' });
    out.callers.script = { authorization: `Bearer ${token}` };
    const { id } = await act<{ id: string }>(`${path}/tokens`, { name: 'old', role: 'viewer' });
    await service.get({ method: 'DELETE', path: `${path}/tokens/${id}`, headers });
    await service.get({
      method: 'PATCH',
      path: '/v1/deploy?slug=scripted',
      headers: { ...out.callers.script, 'content-type': 'text/html' },
      body: '<h1>By a script</h1>',
    });
    const claims = { repository: 'example/site' };
    await act(`${path}/publishers`, { issuer, claims });
    await act('/v1/me/tokens', { name: 'everywhere', role: 'viewer' });
    out.visit('a site that a script deployed', 'scripted');
    out.readSite('scripted', 'ann');
    for (const list of [`${path}/publishers`, '/v1/me/tokens']) out.read(list, 'ann');
  }
  if (knows('post /v1/sites/{slug}/domains')) {
    const path = await site('named');
    await act(`${path}/domains`, { hostname: 'www.example.org' });
    await act(`${path}/domains`, { hostname: 'shop.example.net' });
    await service.get({ method: 'DELETE', path: `${path}/domains/shop.example.net`, headers });
    out.readSite('named', 'ann');
  }
  if (knows('post /v1/code/generate')) {
    const parameters = { title: 'All is well', state: 'resolved', stateText: 'Resolved' };
    await act('/v1/code/generate', { template: 'status-notice', parameters, deploy: true, slug: 'made' });
    out.visit('a page of a template', 'made');
  }
  if (knows('put /v1/uploads/{sha256}')) {
    const content = '<h1>Sent before</h1>';
    const sha256 = hash('sha256', content);
    const upload = { method: 'PUT', path: `/v1/uploads/${sha256}`, headers, body: content };
    await service.get(upload);
    await act('/v1/deploy?slug=sent', { files: [{ path: 'index.html', sha256 }] });
    out.visit('a site whose file was sent before', 'sent');
  }
}
