import type { Deployed } from './anonymous-sites.js';
import type { HandingOut } from './handed-out.js';
import type { ServiceAsked } from './service-asked.js';

const json = { accept: 'application/json' };
const html = { 'content-type': 'text/html' };

export async function peopleAndSites(service: ServiceAsked, out: HandingOut, adminToken: string) {
  const follow = async (name: string) => {
    const path = await service.mailTo(`${name}@example.org`);
    const { token } = await service.get<{ token: string }>({ path, headers: json });
    const bearer = { authorization: `Bearer ${token}` };
    out.callers[name] = bearer;
    return bearer;
  };
  const signIn = async (name: string) => {
    await service.get({ path: '/v1/auth/start', headers: json, body: { email: `${name}@example.org` } });
    return follow(name);
  };
  const ann = await signIn('ann');
  const act = <Answer = unknown>(path: string, body: object, method = 'POST', headers = ann) =>
    service.get<Answer>({ method, path, headers, body });
  const site = async (slug: string, caller = ann) => {
    const body = `<h1>${slug}</h1>`;
    await service.get<Deployed>({ path: `/v1/deploy?slug=${slug}`, headers: { ...caller, ...html }, body });
    return `/v1/sites/${slug}`;
  };

  const found = await service.get<Deployed>({
    path: '/v1/deploy?slug=claimed',
    headers: html,
    body: '<h1>Claimed</h1>',
  });
  await act('/v1/claim/session', { slug: 'claimed', editToken: found.editToken });
  out.visit('a claimed site', 'claimed');

  const team = await site('team');
  for (const [name, role] of [
    ['bob', 'editor'],
    ['carol', 'viewer'],
    ['dan', 'owner'],
    ['late', 'viewer'],
  ] as const)
    await act(`${team}/invites`, { email: `${name}@example.org`, role });
  const invitePath = await service.mailTo('bob@example.org');
  const { token, memberId } = await service.get<{ token: string; memberId: string }>({
    path: invitePath,
    headers: json,
  });
  out.callers.bob = { authorization: `Bearer ${token}` };
  await act(`${team}/members/${memberId}`, { role: 'viewer' }, 'PATCH');
  await act(`${team}/members/${memberId}`, { role: 'editor' }, 'PATCH');
  await follow('carol');
  const dan = await follow('dan');
  await service.get({ method: 'DELETE', path: '/v1/me', headers: { ...dan, 'x-confirm': 'yes' } });
  delete out.callers.dan;
  await act(team, { title: 'The team', description: 'Of everybody', robots: 'noindex' }, 'PATCH');
  await act(`${team}/secrets/API_KEY`, { value: 'kept from everybody' }, 'PUT');
  await act(`${team}/secrets/OLD_KEY`, { value: 'gone' }, 'PUT');
  await service.get({ method: 'DELETE', path: `${team}/secrets/OLD_KEY`, headers: ann });
  const body = '<h1>Bob was here</h1>';
  await service.get({ method: 'PATCH', path: '/v1/deploy?slug=team', headers: { ...out.callers.bob, ...html }, body });
  out.visit('a shared site', 'team');
  for (const name of ['ann', 'bob', 'carol']) out.readSite('team', name);
  out.read(`${team}/invites`, 'ann');

  await act(`${await site('guarded')}/access`, { visibility: 'password', password: 'open sesame' });
  out.visit('a site with a password', 'guarded');
  await act(`${await site('inside')}/access`, { visibility: 'members' });
  out.visit('a site for its members', 'inside', '/', { accept: 'text/html' });

  await act(`${await site('before')}/rename`, { slug: 'between' });
  await act('/v1/sites/between/rename', { slug: 'after' });
  for (const name of ['before', 'between', 'after']) out.visit('a renamed site', name, '/x?y=1');
  out.read('/v1/sites/before', 'ann');
  await act(`${await site('single')}/capabilities`, { name: 'spa', enabled: true });
  out.visit('an app', 'single', '/some/where');
  const listed = {
    files: [
      { path: 'b/one.txt', content: '1' },
      { path: 'b/two.txt', content: '22' },
    ],
  };
  await service.get({ path: '/v1/deploy?slug=list', headers: ann, body: listed });
  await act('/v1/sites/list/capabilities', { name: 'listing', enabled: true });
  out.visit('a listing', 'list', '/b/');
  await site('gone');
  await service.get({ method: 'DELETE', path: '/v1/sites/gone', headers: ann });
  out.visit('a deleted site', 'gone');

  const operator = { authorization: `Bearer ${adminToken}` };
  for (const slug of ['down', 'back']) {
    await site(slug);
    await act(`/v1/admin/sites/${slug}/takedown`, { reason: 'A court says so.' }, 'POST', operator);
  }
  await act('/v1/admin/sites/back/restore', {}, 'POST', operator);
  for (const slug of ['down', 'back']) out.visit('a site that was taken down', slug);
  out.read('/v1/me', 'ann');
  out.read('/v1/me/sites', 'ann');
  out.read('/v1/me', 'bob');
  await service.get({ path: '/v1/waitlist', body: { email: 'waits@example.org' } });
}
