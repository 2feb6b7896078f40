import { read, readAll } from 'stele-api/client';
import { type CommandDefinition, InvalidArgumentError, Option } from '../../command-line/command.js';
import { UsageError } from '../../command-line/errors.js';
import { addSiteOption, connectToSite, type SiteOptions } from '../../command-line/on-site.js';
import { showList } from '../../output/list.js';
import { formatTime } from '../../output/quantities.js';
import { assertConfirmed } from '../../output/questions.js';

type Claims = Readonly<Record<string, string>>;

const listTokens: CommandDefinition = {
  usage: 'list',
  summary: 'list the access tokens of a site, without their secret values',
  examples: [
    ['stele tokens list', 'lists the tokens for the site of this folder'],
    ['stele tokens list --site my-site --json', 'returns them as JSON'],
  ],
  configure: addSiteOption,
  run: async (session, _, options: SiteOptions) => {
    const { stele, onPage } = await connectToSite(session, options);
    const items = await readAll((page) => read(stele.api.GET('/v1/sites/{slug}/tokens', onPage(page))));
    showList(session.output, items, {
      id: ({ id }) => id,
      headings: ['ID', 'NAME', 'ROLE', 'CREATED (UTC)', 'LAST USED'],
      row: (each) => [each.id, each.name, each.role, formatTime(each.createdAt), each.lastUsedAt?.slice(0, 10) ?? ''],
    });
  },
};

const createToken: CommandDefinition = {
  usage: 'create <name>',
  summary: 'create an access token for one site, and print it once',
  examples: [
    ['stele tokens create "deploy from main"', 'creates a token that can deploy'],
    ['stele tokens create backup --role viewer --quiet > token.txt', 'saves a token that can only read'],
  ],
  configure: (command) =>
    addSiteOption(command)
      .addOption(new Option('--role <role>', 'the role of the token').choices(['editor', 'viewer']).default('editor'))
      .option('--expires <time>', 'the time at which the token expires, such as 2027-01-01T00:00:00Z'),
  run: async (session, [name = ''], options: SiteOptions & { role: 'editor' | 'viewer'; expires?: string }) => {
    const { stele, params } = await connectToSite(session, options);
    const body = { name, role: options.role, ...(options.expires && { expiresAt: options.expires }) };
    const { token, ...created } = await read(stele.api.POST('/v1/sites/{slug}/tokens', { params, body }));
    session.output.result({
      // The token is part of this result, because it cannot be read later. No other result contains a token.
      json: { ...created, token },
      quiet: token,
      text: token,
    });
    session.output.note('Store the token now. It will not be shown again.');
  },
};

const endToken: CommandDefinition = {
  usage: 'delete <id>',
  summary: 'revoke an access token',
  examples: [
    ['stele tokens delete tok_01m8j9m1xge84vdgfxszhc1ff9', 'asks for confirmation, then revokes the token'],
    ['stele tokens delete tok_01m8j9m1xge84vdgfxszhc1ff9 --yes', 'revokes the token without asking'],
  ],
  configure: addSiteOption,
  run: async (session, [id = ''], options: SiteOptions) => {
    const { stele, slug } = await connectToSite(session, options);
    await assertConfirmed(session, `Revoke the access token ${id} of ${slug}?`);
    await stele.api.DELETE('/v1/sites/{slug}/tokens/{id}', { params: { path: { slug, id } } });
    session.output.result({ json: { site: slug, id }, quiet: '', text: `Revoked ${id}.` });
  },
};

export const tokens: CommandDefinition = {
  usage: 'tokens',
  summary: 'manage the access tokens of a site',
  examples: [
    ['stele tokens list', 'lists the tokens'],
    ['stele tokens create "deploy from main"', 'creates a token'],
  ],
  children: [listTokens, createToken, endToken],
};

const listPublishers: CommandDefinition = {
  usage: 'list',
  summary: 'list the CI jobs that can publish without a stored secret',
  examples: [
    ['stele publishers list', 'lists the publishers of the site of this folder'],
    ['stele publishers list --json', 'returns them as JSON'],
  ],
  configure: addSiteOption,
  run: async (session, _, options: SiteOptions) => {
    const { stele, onPage } = await connectToSite(session, options);
    const items = await readAll((page) => read(stele.api.GET('/v1/sites/{slug}/publishers', onPage(page))));
    showList(session.output, items, {
      id: ({ id }) => id,
      headings: ['ID', 'ISSUER', 'CLAIMS'],
      row: ({ id, issuer, claims }) => [
        id,
        issuer,
        Object.entries(claims)
          .map((claim) => claim.join('='))
          .join(' '),
      ],
    });
  },
};

const ISSUERS = { github: 'https://token.actions.githubusercontent.com', gitlab: 'https://gitlab.com' } as const;

const addPublisher: CommandDefinition = {
  usage: 'add <project>',
  summary: 'let the CI jobs of a repository publish: OWNER/REPOSITORY, or the path of a GitLab project',
  examples: [
    ['stele publishers add octo-org/website --claim ref=refs/heads/main', 'trusts GitHub jobs on the branch main'],
    ['stele publishers add group/website --issuer gitlab', 'trusts jobs of a project on gitlab.com'],
  ],
  configure: (command) =>
    addSiteOption(command)
      .option(
        '--issuer <issuer>',
        'the service that issues the identity tokens of the jobs: github, gitlab or a URL',
        'github',
      )
      .addOption(
        new Option('--claim <name=value>', 'a claim that the job must have (can be repeated)')
          .argParser(addClaim)
          .default({}, 'none'),
      ),
  run: async (session, [project = ''], options: SiteOptions & { issuer: string; claim: Claims }) => {
    const { stele, params } = await connectToSite(session, options);
    const issuer = ISSUERS[options.issuer as keyof typeof ISSUERS] ?? options.issuer;
    if (!issuer.includes('://'))
      throw new UsageError(`“${issuer}” is not a valid value of --issuer. Use github, gitlab or a URL.`);
    const member = issuer === ISSUERS.gitlab ? 'project_path' : 'repository';
    const body = { issuer, claims: { [member]: project, ...options.claim } };
    const publisher = await read(stele.api.POST('/v1/sites/{slug}/publishers', { params, body }));
    session.output.result({
      json: { ...publisher },
      quiet: publisher.id,
      text: `CI jobs of ${project} can now publish (${publisher.id}).`,
    });
  },
};

function addClaim(text: string, claims: Claims): Claims {
  const [, name, value] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('It must have the form NAME=VALUE.');
  return { ...claims, [name]: value };
}

const removePublisher: CommandDefinition = {
  usage: 'remove <id>',
  summary: 'stop trusting a publisher, and revoke its tokens',
  examples: [
    ['stele publishers remove pub_01m8j9m1xge84vdgfxszhc1ff9', 'asks for confirmation, then removes the publisher'],
    ['stele publishers remove pub_01m8j9m1xge84vdgfxszhc1ff9 --yes', 'removes the publisher without asking'],
  ],
  configure: addSiteOption,
  run: async (session, [id = ''], options: SiteOptions) => {
    const { stele, slug } = await connectToSite(session, options);
    await assertConfirmed(session, `Remove the publisher ${id} of ${slug}?`);
    await stele.api.DELETE('/v1/sites/{slug}/publishers/{id}', { params: { path: { slug, id } } });
    session.output.result({ json: { site: slug, id }, quiet: '', text: `Removed ${id}.` });
  },
};

export const publishers: CommandDefinition = {
  usage: 'publishers',
  summary: 'let CI jobs publish without a stored secret',
  examples: [
    ['stele publishers list', 'lists the publishers'],
    ['stele publishers add octo-org/website', 'trusts the jobs of a repository on GitHub'],
  ],
  children: [listPublishers, addPublisher, removePublisher],
};
