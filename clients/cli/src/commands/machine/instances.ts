import { read } from 'stele-api/client';
import { NetworkError } from 'stele-api/problem';
import type { CommandDefinition } from '../../command-line/command.js';
import { parseInstance } from '../../credentials/choose-instance.js';
import { adviseOnCertificates } from '../../network/certificates.js';
import { VERSION } from '../../network/client-name.js';
import { formatTable } from '../../output/table.js';

const use: CommandDefinition = {
  usage: 'use <url>',
  summary: 'use this instance by default',
  examples: [
    ['stele instances use https://stele.example.org', 'commands without --instance use it from now on'],
    ['stele instances use localhost:3000', 'uses a service on this machine'],
  ],
  run: async (session, [url = '']) => {
    const instance = parseInstance(url);
    await read(session.createClient(instance).api.GET('/v1/limits'));
    await session.credentialsFile.use(instance);
    session.output.result({
      json: { instance },
      quiet: instance,
      text: `Commands without --instance now use ${instance}.`,
    });
  },
};

const add: CommandDefinition = {
  usage: 'add <url>',
  summary: 'remember an instance, and use it by default if it is the first',
  examples: [
    ['stele instances add https://stele.example.org', 'stores the instance'],
    ['stele instances add https://stele.example.org --json', 'does the same for a script'],
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
    ['stele instances list', 'lists the instances, and the signed-in user of each'],
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
        ['', 'INSTANCE', 'SIGNED IN AS', 'ANONYMOUS SITES'],
        items.map((each) => [each.current ? '*' : ' ', each.instance, each.user ?? '', String(each.sitesWithoutOwner)]),
      ),
    });
  },
};

const check: CommandDefinition = {
  usage: 'check',
  summary: 'check the connection to the instance',
  examples: [
    ['stele instances check', 'shows whether the instance responds, its version, and which credential is used'],
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
        `${url} (from ${source}) responded in ${ms} ms. Status: ${health.status}. Version: ${version ?? 'unknown'}.`,
        `This is stele ${VERSION}. Credential: ${credential}.`,
      ].join('\n'),
    });
  },
};

function explain(code = ''): string {
  if (code === 'ENOTFOUND') return ' Check the spelling of the address.';
  if (code === 'ECONNREFUSED') return ' Check the port, and whether the service is running.';
  if (/CERT|UNABLE_TO|SELF_SIGNED/.test(code)) return ` ${adviseOnCertificates()}`;
  return '';
}

export const instances: CommandDefinition = {
  usage: 'instances',
  summary: 'manage the instances that this machine knows',
  examples: [
    ['stele instances list', 'lists the instances'],
    ['stele instances use https://stele.example.org', 'chooses the default instance'],
  ],
  children: [add, use, list, check],
};
