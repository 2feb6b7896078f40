import type { CommandLine } from './stele-command.js';

/** Every command that sends a token and fails if it is invalid, with its required arguments. */
export const REQUESTS: readonly (readonly string[])[] = [
  ['deploy'],
  ['repo', 'https://git.example.org/a/b', '--site', 'a-site'],
  ['rollback', '1'],
  ['deploys'],
  ['diff', '1', '2'],
  ['download', '1', '--output', 'deploy.zip'],
  ['jobs', 'list'],
  ['jobs', 'log', 'job_01m8j9m1xge84vdgfxszhc1ff9'],
  ['jobs', 'stop', 'job_01m8j9m1xge84vdgfxszhc1ff9'],
  ['jobs', 'rerun'],
  ['history'],
  ['logs'],
  ['watch'],
  ['analytics'],
  ['sites'],
  ['open', 'a-site'],
  ['access', 'public'],
  ['rename', 'another-name'],
  ['domains', 'list'],
  ['domains', 'add', 'www.example.org'],
  ['domains', 'check', 'www.example.org'],
  ['domains', 'remove', 'www.example.org'],
  ['secrets', 'list'],
  ['secrets', 'set', 'NAME'],
  ['secrets', 'delete', 'NAME'],
  ['capabilities', 'spa', '--on'],
  ['delete'],
  ['members', 'list'],
  ['members', 'role', 'mem_01m8j9m1xge84vdgfxszhc1ff9', 'viewer'],
  ['members', 'remove', 'mem_01m8j9m1xge84vdgfxszhc1ff9'],
  ['invite', 'somebody@example.org'],
  ['tokens', 'list'],
  ['tokens', 'create', 'name'],
  ['tokens', 'delete', 'tok_01m8j9m1xge84vdgfxszhc1ff9'],
  ['publishers', 'list'],
  ['publishers', 'add', 'owner/name'],
  ['publishers', 'remove', 'pub_01m8j9m1xge84vdgfxszhc1ff9'],
  ['link', 'a-site'],
  ['whoami'],
  ['instances', 'check'],
];

/** Claims a site with the stored session and the stored edit token of the site. */
export const CLAIM: readonly string[] = ['claim', 'a-site'];

/** The other commands that send requests: they send no token, or succeed if it is invalid. */
export const otherRequests = (instance: string): readonly (readonly string[])[] => [
  ['login', '--code'],
  ['instances', 'use', instance],
  ['instances', 'add', instance],
  ['logout'],
];

/** Every command that sends no requests. Some of them need `stele.json`, or the configuration file of another host. */
export const LOCAL: readonly (readonly string[])[] = [
  ['import', '--write', '.'],
  ['unlink'],
  ['instances', 'list'],
  ['completions', 'bash'],
];

const KNOWN = [...REQUESTS, CLAIM, ...otherRequests('localhost'), ...LOCAL];

/** Whether a command of these lists has the option `--site`. */
export const hasSiteOption = ([name = '']: readonly string[]): boolean =>
  !['sites', 'whoami', 'instances', 'link', 'open', 'repo', 'claim', 'login', 'logout'].includes(name);

/** Returns the commands, including those of groups, that are in the help but not in the lists above. */
export async function listUnknownCommands(machine: CommandLine): Promise<string[]> {
  const all = await listCommands(machine, []);
  return all.filter((name) => !KNOWN.some((words) => `${words.join(' ')} `.startsWith(`${name} `)));
}

async function listCommands(machine: CommandLine, group: readonly string[]): Promise<string[]> {
  const { out } = await machine.run([...group, '--help']);
  const listed = out.split('\nCommands:\n')[1]?.split('\n\n')[0] ?? '';
  const names = [...listed.matchAll(/^ {2}([a-z]+)(?=[ |\n])/gm)].map(([, name = '']) => name);
  if (names.length === 0) return [group.join(' ')];
  const found: string[] = [];
  for (const name of names) if (name !== 'help') found.push(...(await listCommands(machine, [...group, name])));
  return found;
}
