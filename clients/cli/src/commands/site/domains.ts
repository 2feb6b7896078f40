import { read, readAll, type Schemas, type Stele } from 'stele-api/client';
import { pause } from 'stele-api/network/retries';
import type { CommandDefinition } from '../../command-line/command.js';
import { RefusedError } from '../../command-line/errors.js';
import { addSiteOption, connectToSite, type SiteOptions } from '../../command-line/on-site.js';
import type { Session } from '../../command-line/session.js';
import { showList } from '../../output/list.js';
import { assertConfirmed } from '../../output/questions.js';
import { formatTable } from '../../output/table.js';

type Domain = Schemas['Domain'];

/** The service checks the DNS records of a domain at most every five seconds. */
const CHECK_EVERY_MS = 5_000;

const list: CommandDefinition = {
  usage: 'list',
  summary: 'list the domains of a site',
  examples: [
    ['stele domains list', 'lists the domains of the site of this folder'],
    ['stele domains list --json', 'returns them with their DNS records as JSON'],
  ],
  configure: addSiteOption,
  run: async (session, _, options: SiteOptions) => {
    const { stele, onPage } = await connectToSite(session, options);
    const items = await readAll((page) => read(stele.api.GET('/v1/sites/{slug}/domains', onPage(page))));
    showList(session.output, items, {
      id: ({ hostname }) => hostname,
      headings: ['DOMAIN', 'STATUS', 'REDIRECTS TO', 'ERROR'],
      row: ({ hostname, status, redirectTo, error }) => [hostname, status, redirectTo ?? '', error ?? ''],
    });
  },
};

const add: CommandDefinition = {
  usage: 'add <hostname>',
  summary: 'serve a site on your own domain',
  examples: [
    ['stele domains add www.example.org', 'adds the domain, and shows the DNS records to create'],
    ['stele domains add www.example.org --wait', 'also waits until the domain is active'],
  ],
  configure: (command) =>
    addSiteOption(command)
      .option('--wait', 'wait until the domain is active')
      .option('--redirect-to <hostname>', 'redirect visitors to another domain of the site'),
  run: async (session, [hostname = ''], options: SiteOptions & { wait?: boolean; redirectTo?: string }) => {
    const { stele, slug, params } = await connectToSite(session, options);
    const body = { hostname, ...(options.redirectTo && { redirectTo: options.redirectTo }) };
    const added = await read(stele.api.POST('/v1/sites/{slug}/domains', { params, body }));
    if (!options.wait) return show(session, added);
    session.output.note(describeRecords(added));
    show(session, await waitUntilActive(session, stele, slug, added.hostname));
  },
};

const check: CommandDefinition = {
  usage: 'check <hostname>',
  summary: 'check the DNS records of a domain now',
  examples: [
    ['stele domains check www.example.org', 'checks the DNS records, and shows what is missing'],
    ['stele domains check www.example.org --wait', 'repeats the check until the domain is active'],
  ],
  configure: (command) => addSiteOption(command).option('--wait', 'wait until the domain is active'),
  run: async (session, [hostname = ''], options: SiteOptions & { wait?: boolean }) => {
    const { stele, slug } = await connectToSite(session, options);
    show(
      session,
      options.wait ? await waitUntilActive(session, stele, slug, hostname) : await checkNow(stele, slug, hostname),
    );
  },
};

const remove: CommandDefinition = {
  usage: 'remove <hostname>',
  summary: 'remove a domain from a site',
  examples: [
    ['stele domains remove www.example.org', 'asks for confirmation, then removes the domain'],
    ['stele domains remove www.example.org --yes', 'removes the domain without asking'],
  ],
  configure: addSiteOption,
  run: async (session, [hostname = ''], options: SiteOptions) => {
    const { stele, slug } = await connectToSite(session, options);
    await assertConfirmed(session, `Remove the domain ${hostname} from ${slug}?`);
    await stele.api.DELETE('/v1/sites/{slug}/domains/{hostname}', { params: { path: { slug, hostname } } });
    session.output.result({ json: { site: slug, hostname }, quiet: '', text: `Removed ${hostname}.` });
  },
};

export const domains: CommandDefinition = {
  usage: 'domains',
  summary: 'manage the custom domains of a site',
  examples: [
    ['stele domains list', 'lists the domains of the site of this folder'],
    ['stele domains add www.example.org --wait', 'adds a domain, and waits until it is active'],
  ],
  children: [list, add, check, remove],
};

const checkNow = (stele: Stele, slug: string, hostname: string): Promise<Domain> =>
  read(stele.api.POST('/v1/sites/{slug}/domains/{hostname}', { params: { path: { slug, hostname } } }));

async function waitUntilActive({ output, signal }: Session, stele: Stele, slug: string, hostname: string) {
  for (let last = ''; ; ) {
    const domain = await checkNow(stele, slug, hostname);
    if (domain.status === 'active') return domain;
    if (domain.status === 'failed')
      throw new RefusedError(
        `The domain ${hostname} could not be verified. ${domain.error ?? ''}`.trim(),
        'domain_failed',
        [{ command: `stele domains add ${hostname}`, when: 'to get new records and try again' }],
      );
    if (domain.error && domain.error !== last) output.note(domain.error);
    last = domain.error ?? '';
    await pause(CHECK_EVERY_MS, signal);
  }
}

const show = ({ output }: Session, domain: Domain) =>
  output.result({
    json: { ...domain },
    quiet: domain.status,
    text: domain.status === 'active' ? `${domain.hostname} is active.` : describeRecords(domain),
  });

const describeRecords = ({ hostname, status, verification, target, error }: Domain) =>
  [
    `${hostname} is ${status}. Create these DNS records:`,
    formatTable(
      ['TYPE', 'NAME', 'VALUE'],
      [
        [verification.type, verification.name, verification.value],
        [target.type, target.name, target.value],
      ],
    ),
    ...(error ? [error] : []),
  ].join('\n');
