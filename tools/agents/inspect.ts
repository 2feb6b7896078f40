// `npm run inspect-agents -- http://localhost:3000/mcp [TOKEN]`: lists and calls the tools of a running service with
// the protocol's own inspector, which npx downloads and which needs Node 22.19. TOKEN is the token of a grant.
// Without TOKEN, tools that need a person must respond with 401.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0';

const [address = 'http://localhost:3000/mcp', token = ''] = process.argv.slice(2);
const run = promisify(execFile);

async function inspect(...words: string[]): Promise<string> {
  const header = token === '' ? [] : ['--header', `Authorization: Bearer ${token}`];
  const command = ['-y', INSPECTOR, '--cli', address, '--transport', 'http', ...header, ...words];
  const { stdout } = await run('npx', command, { maxBuffer: 64 * 1_048_576 }).catch(
    (fault: { stdout: string }) => fault,
  );
  return stdout;
}

const call = async (name: string, given: object) => {
  const pairs = Object.entries(given).flatMap(([key, value]) => [
    '--tool-arg',
    `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  ]);
  return inspect('--method', 'tools/call', '--tool-name', name, ...pairs);
};
const jsonIn = (text: string) => JSON.parse(JSON.parse(text).content[1].text);

const { tools }: { tools: { name: string }[] } = JSON.parse(await inspect('--method', 'tools/list'));
const site = jsonIn(await call('deploy_html', { html: '<h1>Inspected</h1>' }));
const { slug, deployId, editToken = '' } = site;
const of = editToken === '' ? { slug } : { slug, editToken };
const files = [{ path: 'index.html', content: '<h1>Inspected</h1>' }];

/** Arguments of each tool. Tools that are not listed are called with only a site. */
const given: Record<string, object> = {
  deploy_html: { html: '<h1>One</h1>' },
  deploy_files: { files },
  redeploy: { ...of, html: '<h1>Two</h1>' },
  get_site: { slug },
  diff_deploys: { ...of, from: deployId, to: deployId },
  rollback: { ...of, deployId },
  list_sites: {},
  sign_in: {},
  rename_site: { slug, newSlug: slug },
  set_capability: { ...of, name: 'spa', enabled: true },
  stop_job: { jobId: 'job_x', ...(editToken && { editToken }) },
  check_repo: { url: 'https://repository.invalid/a/b' },
  deploy_repo: { url: 'https://repository.invalid/a/b' },
  get_job: { jobId: 'job_x' },
  read_job_log: { jobId: 'job_x' },
  watch_job: { jobId: 'job_x', waitSeconds: 1 },
  start_claim: { slug, email: 'nobody@example.org', editToken: editToken || 'none' },
  set_access: { slug, visibility: 'public' },
  invite_member: { slug, email: 'nobody@example.org', role: 'viewer' },
  add_domain: { slug, hostname: 'www.example.com' },
  generate_page: { template: 'no-such-template' },
};

let unheard = 0;
// delete_site comes last, because the other tools need the site.
for (const { name } of tools.toSorted((a, b) => Number(a.name === 'delete_site') - Number(b.name === 'delete_site'))) {
  const text = await call(name, given[name] ?? of);
  const isResult = /"content"/.test(text);
  const code = /\\?"code\\?": ?\\?"(\w+)/.exec(text)?.[1];
  const isChallenge = token === '' && !isResult;
  if (!isResult && !isChallenge) unheard++;
  console.log(`${name.padEnd(16)} ${isResult ? (code ?? 'ok') : 'requires sign-in'}`);
}
console.log(`${tools.length} tools, ${unheard} without a response`);
process.exitCode = unheard === 0 ? 0 : 1;
