import { tarGzOf, zipOf } from '../content/archives.js';
import type { HandingOut } from './handed-out.js';
import type { ServiceAsked } from './service-asked.js';

export type Deployed = { readonly slug: string; readonly deployId: string; readonly editToken: string };

const html = { 'content-type': 'text/html' };
const label = (deployId: string) => deployId.replace('_', '-');

export async function anonymousSites(service: ServiceAsked, out: HandingOut) {
  const deploy = (query: string, body: string | Buffer | object, headers: Record<string, string> = {}) =>
    service.get<Deployed>({ method: 'POST', path: `/v1/deploy${query}`, headers, body });
  const holder = (name: string, { editToken }: Deployed) => out.holds(name, editToken);

  const page = await deploy('?slug=page&message=first', '<h1>One</h1>', html);
  const holds = holder('page', page);
  const again = (query: string, body: string | object, headers: Record<string, string> = {}) =>
    service.get<Deployed>({
      method: 'PATCH',
      path: `/v1/deploy?slug=page${query}`,
      headers: { ...holds, ...headers },
      body,
    });
  const second = await again('', '<h1>Two</h1>', { ...html, 'idempotency-key': 'an-earlier-key' });
  const merged = await again('&mode=merge', { files: [{ path: 'more.txt', content: 'more' }] });
  const staged = await again('&publish=false', '<h1>Staged</h1>', html);
  const rollback = { method: 'POST', path: '/v1/sites/page/rollback', headers: holds };
  await service.get({ ...rollback, body: { deployId: page.deployId } });
  await service.get({ ...rollback, body: { deployId: merged.deployId } });
  out.visit('a page', 'page');
  out.visit('what was merged', 'page', '/more.txt');
  for (const each of [page, second, merged, staged]) out.visit('a preview', label(each.deployId));
  out.looks['the page below the service'] = { path: '/s/page/' };
  out.looks['a deploy that is sent again'] = {
    method: 'PATCH',
    path: '/v1/deploy?slug=page',
    headers: { ...holds, ...html, 'idempotency-key': 'an-earlier-key' },
    body: '<h1>Two</h1>',
  };
  out.readSite('page', 'page');
  out.read(`/v1/sites/page/deploys/diff?from=${page.deployId}&to=${merged.deployId}`, 'page');

  const files = [
    { path: 'index.html', content: '<h1>Folder</h1>' },
    { path: 'about.html', content: '<h1>About</h1>' },
    { path: 'docs/index.html', content: '<h1>Docs</h1>' },
    { path: '404.html', content: '<h1>Nothing here</h1>' },
    { path: 'assets/app.0123abcd.js', content: 'console.log("app")\n'.repeat(5_000) },
    { path: 'pixel.gif', content: 'R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=', encoding: 'base64' },
    { path: 'café/menü.txt', content: 'Crème brûlée' },
    { path: '_redirects', content: '/old /about 301\n/go/* /docs/:splat 302\n/shown /about 200\n' },
    { path: '_headers', content: '/*\n  x-frame-options: DENY\n/about\n  cache-control: max-age=60\n' },
  ];
  holder('folder', await deploy('?slug=folder', { files }));
  for (const path of ['/', '/about', '/about.html', '/docs', '/docs/', '/assets/app.0123abcd.js', '/pixel.gif'])
    out.visit('a folder', 'folder', path);
  for (const path of ['/caf%C3%A9/men%C3%BC.txt', '/nothing', '/old', '/go/x', '/shown', '/_headers'])
    out.visit('a folder', 'folder', path);
  out.visit('a part', 'folder', '/assets/app.0123abcd.js', { range: 'bytes=7-20' });
  out.readSite('folder', 'folder');

  const form =
    '--x\r\ncontent-disposition: form-data; name="files"; filename="index.html"\r\n\r\n<h1>Form</h1>\r\n--x--\r\n';
  await deploy('?slug=form', form, { 'content-type': 'multipart/form-data; boundary=x' });
  await deploy('?slug=zip', zipOf([{ path: 'index.html', content: '<h1>Zip</h1>' }]), {
    'content-type': 'application/zip',
  });
  await deploy('?slug=tar', tarGzOf([{ path: 'index.html', content: '<h1>Tar</h1>' }]), {
    'content-type': 'application/gzip',
  });
  for (const slug of ['form', 'zip', 'tar']) out.visit('an archive', slug);

  const short = await deploy('?slug=short&expires=1s', '<h1>Short</h1>', html);
  holder('short', short);
  while ((await service.ask({ site: 'short', path: '/' })).status === 200)
    await new Promise((resolve) => setTimeout(resolve, 200));
  out.visit('an expired site', 'short');
}
