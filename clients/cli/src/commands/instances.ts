import { read } from 'stele-api/client';
import { NetworkError } from 'stele-api/problem';
import type { CommandDefinition } from '../command-line/command.js';
import { parseInstance } from '../credentials/choose-instance.js';
import { VERSION } from '../network/client-name.js';
import { formatTable } from '../output/table.js';

const use: CommandDefinition = {
  usage: 'use <url>',
  summary: 'use an instance from now on',
  examples: [
    ['stele instances use https://stele.example.org', 'commands that name no instance go there'],
    ['stele instances use localhost:3000', 'uses a service on this machine'],
  ],
  run: async (session, [url = '']) => {
    const instance = parseInstance(url);
    await read(session.createClient(instance).api.GET('/v1/limits'));
    await session.credentialsFile.use(instance);
    session.output.result({
      json: { instance },
      quiet: instance,
      text: `Commands without --instance go to ${instance} now.`,
    });
  },
};

const add: CommandDefinition = {
  usage: 'add <url>',
  summary: 'remember an instance, and use it if it is the first',
  examples: [
    ['stele instances add https://stele.example.org', 'remembers the instance'],
    ['stele instances add https://stele.example.org --json', 'the same for a script'],
  ],
  run: async (session, [url = '']) => {
    const instance = parseInstance(url);
    await read(session.createClient(instance).api.GET('/v1/limits'));
    await session.credentialsFile.update(instance, (kept) => kept);
    session.output.result({ json: { instance }, quiet: instance, text: `Remembered ${instance}.` });
  },
};

const list: CommandDefinition = {
  usage: 'list',
  summary: 'list the instances that this machine knows',
  examples: [
    ['stele instances list', 'shows the instances, and as whom this machine is signed in'],
    ['stele instances list --quiet', 'prints only the addresses'],
  ],
  run: async (session) => {
    const { current, instances: known } = await session.readCredentials();
    const items = Object.entries(known).map(([instance, { email, token, editTokens = {} }]) => ({
      instance,
      current: instance === current,
      user: token ? (email ?? null) : null,
      sitesWithoutOwner: Object.keys(editTokens).length,
    }));
    session.output.result({
      json: { items },
      quiet: items.map(({ instance }) => instance).join('\n'),
      text: formatTable(
        ['', 'INSTANCE', 'SIGNED IN AS', 'SITES WITHOUT OWNER'],
        items.map((each) => [each.current ? '*' : ' ', each.instance, each.user ?? '', String(each.sitesWithoutOwner)]),
      ),
    });
  },
};

const check: CommandDefinition = {
  usage: 'check',
  summary: 'find out what is wrong with the connection to the instance',
  examples: [
    ['stele instances check', 'shows whether the instance responds, its version, and as whom you are signed in'],
    ['HTTPS_PROXY=http://proxy:3128 stele instances check', 'tries the connection through a proxy'],
  ],
  run: async (session) => {
    const { url, source } = await session.chooseInstance();
    const { stele, source: credential } = await session.connect();
    const started = performance.now();
    const health = await read(stele.api.GET('/health')).catch((error) => {
      if (error instanceof NetworkError) error.message += explain(error.code);
      throw error;
    });
    const ms = Math.round(performance.now() - started);
    const { version } = health as { version?: string };
    session.output.result({
      json: {
        instance: url,
        instanceFrom: source,
        status: health.status,
        version,
        clientVersion: VERSION,
        ms,
        credential,
      },
      quiet: url,
      text: [
        `${url} (from ${source}) is ${health.status}, version ${version ?? 'unknown'}, and responded in ${ms} ms.`,
        `This is stele ${VERSION}. Credential: ${credential}.`,
      ].join('\n'),
    });
  },
};

function explain(code = ''): string {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return ' The name of the instance is not known to DNS.';
  if (code === 'ECONNREFUSED') return ' Nothing listens there.';
  if (/CERT|UNABLE_TO|SELF_SIGNED/.test(code))
    return ' Its certificate is not trusted. Pass the certificate of your authority with --ca FILE.';
  return '';
}

export const instances: CommandDefinition = {
  usage: 'instances',
  summary: 'manage the instances that this machine knows',
  examples: [
    ['stele instances list', 'lists them'],
    ['stele instances use https://stele.example.org', 'chooses one'],
  ],
  children: [add, use, list, check],
};
