import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { read, readAll } from 'stele-api/client';
import { type CommandDefinition, InvalidArgumentError, Option } from '../../command-line/command.js';
import { AnswerNeededError, UsageError } from '../../command-line/errors.js';
import { addSiteOption, connectToSite, type SiteOptions } from '../../command-line/on-site.js';
import type { Session } from '../../command-line/session.js';
import { showList } from '../../output/list.js';
import { formatTime } from '../../output/quantities.js';
import { askSecretly, assertConfirmed } from '../../output/questions.js';
import { formatTable } from '../../output/table.js';
import { writeLink } from '../../project/stele-json.js';

type Visibility = 'public' | 'password' | 'members';

const AUDIENCES: Readonly<Record<Visibility, string>> = {
  public: 'everybody',
  password: 'visitors who have the password',
  members: 'its members',
};

/** Asks for a secret, or reads it from standard input. Other users could see an argument. */
async function readSecret({ output }: Session, what: string, command: string): Promise<string> {
  const { isTTY } = process.stdin;
  if (isTTY && !output.isInteractive)
    throw new AnswerNeededError(`${what} must be passed on standard input.`, [
      { command, when: 'to pass it from a file' },
    ]);
  const value = isTTY ? await askSecretly(what) : (await text(process.stdin)).replace(/\r?\n$/, '');
  if (value === null)
    throw new UsageError(`${what} has more than one line. Pass it from a file or a pipe instead.`, [
      { command, when: 'to pass it from a file' },
    ]);
  if (value === '') throw new UsageError(`${what} must not be empty.`);
  if (!isTTY) output.note(`${what} was read from standard input.`);
  return value;
}

export const access: CommandDefinition = {
  usage: 'access <visibility>',
  summary: 'choose who can see a site: public, password or members',
  examples: [
    ['stele access members', 'only members can see the site of this folder'],
    ['stele access password --site my-site < password.txt', 'visitors need the password in the file'],
  ],
  configure: (command) => addSiteOption(command),
  run: async (session, [visibility], options: SiteOptions) => {
    if (!Object.hasOwn(AUDIENCES, visibility ?? ''))
      throw new UsageError(`“${visibility}” is not a visibility. Use public, password or members.`);
    const { stele, slug, params } = await connectToSite(session, options);
    const wanted = visibility as Visibility;
    const password =
      wanted === 'password'
        ? await readSecret(session, 'The password', 'stele access password < password.txt')
        : undefined;
    const site = await read(
      stele.api.POST('/v1/sites/{slug}/access', {
        params,
        body: { visibility: wanted, ...(password && { password }) },
      }),
    );
    session.output.result({
      json: { ...site },
      quiet: site.visibility,
      text: `${slug} is now visible to ${AUDIENCES[site.visibility]}.`,
    });
  },
};

export const rename: CommandDefinition = {
  usage: 'rename <name>',
  summary: 'rename a site; its old addresses redirect to the new one',
  examples: [
    ['stele rename new-name', 'renames this folder’s site'],
    ['stele rename new-name --site old-name', 'renames another site'],
  ],
  configure: addSiteOption,
  run: async (session, [name = ''], options: SiteOptions) => {
    const { stele, slug, params } = await connectToSite(session, options);
    const site = await read(stele.api.POST('/v1/sites/{slug}/rename', { params, body: { slug: name } }));
    const link = await session.link;
    if (link?.site === slug) await writeLink(dirname(link.file), { site: site.slug });
    session.output.result({
      json: { ...site },
      quiet: site.url,
      text: `${slug} is now called ${site.slug}: ${site.url}`,
    });
  },
};

const listSecrets: CommandDefinition = {
  usage: 'list',
  summary: 'list the names of the secrets (values are never shown)',
  examples: [
    ['stele secrets list', 'lists the secrets of the site of this folder'],
    ['stele secrets list --site my-site --quiet', 'prints only their names'],
  ],
  configure: addSiteOption,
  run: async (session, _, options: SiteOptions) => {
    const { stele, onPage } = await connectToSite(session, options);
    const items = await readAll((page) => read(stele.api.GET('/v1/sites/{slug}/secrets', onPage(page))));
    showList(session.output, items, {
      id: ({ name }) => name,
      headings: ['NAME', 'VERSION', 'CHANGED (UTC)'],
      row: ({ name, version, updatedAt }) => [name, String(version), formatTime(updatedAt)],
    });
  },
};

const setSecret: CommandDefinition = {
  usage: 'set <name>',
  summary: 'set a secret, which you type or pass on standard input',
  examples: [
    ['stele secrets set API_KEY < key.txt', 'sets the secret to the content of a file'],
    ['op read op://vault/api/key | stele secrets set API_KEY', 'sets the secret to the output of another program'],
  ],
  configure: addSiteOption,
  run: async (session, [name = ''], options: SiteOptions) => {
    const { stele, slug } = await connectToSite(session, options);
    const value = await readSecret(session, `The value of ${name}`, `stele secrets set ${name} < secret.txt`);
    const path = { slug, name };
    const secret = await read(stele.api.PUT('/v1/sites/{slug}/secrets/{name}', { params: { path }, body: { value } }));
    session.output.result({ json: { ...secret }, quiet: name, text: `Set ${name}, version ${secret.version}.` });
  },
};

const deleteSecret: CommandDefinition = {
  usage: 'delete <name>',
  summary: 'delete a secret',
  examples: [
    ['stele secrets delete API_KEY', 'asks for confirmation, then deletes the secret'],
    ['stele secrets delete API_KEY --yes', 'deletes the secret without asking'],
  ],
  configure: addSiteOption,
  run: async (session, [name = ''], options: SiteOptions) => {
    const { stele, slug } = await connectToSite(session, options);
    await assertConfirmed(session, `Delete the secret ${name} of ${slug}?`);
    await stele.api.DELETE('/v1/sites/{slug}/secrets/{name}', { params: { path: { slug, name } } });
    session.output.result({ json: { site: slug, name }, quiet: '', text: `Deleted ${name}.` });
  },
};

export const secrets: CommandDefinition = {
  usage: 'secrets',
  summary: 'manage the secrets of builds and servers',
  examples: [
    ['stele secrets list', 'lists the names of the secrets'],
    ['stele secrets set API_KEY < key.txt', 'sets a secret'],
  ],
  children: [listSecrets, setSecret, deleteSecret],
};

const NAMES = ['spa', 'listing', 'connector', 'analytics', 'egress'] as const;
type CapabilityName = (typeof NAMES)[number];

export const capabilities: CommandDefinition = {
  usage: 'capabilities [name]',
  summary: 'list the capabilities of a site, or turn one on or off',
  examples: [
    ['stele capabilities', 'lists the capabilities'],
    ['stele capabilities spa --on', 'shows index.html for unknown paths from now on'],
  ],
  configure: (command) =>
    addSiteOption(command)
      .option('--on', 'turn the capability on')
      .addOption(new Option('--off', 'turn the capability off').conflicts('on'))
      .addOption(
        new Option('--config <json>', 'the settings of the capability, as a JSON object').argParser(parseObject),
      ),
  run: async (session, [name], options: SiteOptions & { on?: boolean; off?: boolean; config?: object }) => {
    const { stele, slug, params } = await connectToSite(session, options);
    if (name === undefined) {
      const { items } = await read(stele.api.GET('/v1/sites/{slug}/capabilities', { params }));
      session.output.result({
        json: { items },
        quiet: items
          .filter(({ enabled }) => enabled)
          .map((each) => each.name)
          .join('\n'),
        text: formatTable(
          ['CAPABILITY', 'STATE', 'DESCRIPTION'],
          items.map((each) => [each.name, each.enabled ? 'on' : 'off', each.description]),
        ),
      });
      return;
    }
    if (!NAMES.includes(name as CapabilityName))
      throw new UsageError(`There is no capability ${name}. There are ${NAMES.join(', ')}.`);
    if (!options.on && !options.off) throw new UsageError(`Add --on or --off, to turn ${name} on or off.`);
    const body = {
      name: name as CapabilityName,
      enabled: options.on === true,
      ...(options.config && { config: options.config }),
    };
    const changed = await read(stele.api.POST('/v1/sites/{slug}/capabilities', { params, body: body as never }));
    session.output.result({
      json: { site: slug, ...changed },
      quiet: name,
      text: `${name} is ${options.on ? 'on' : 'off'} for ${slug}.`,
    });
  },
};

function parseObject(json: string): object {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Reported below.
  }
  throw new InvalidArgumentError('It must be a JSON object, such as {"hosts":["api.example.com"]}.');
}
