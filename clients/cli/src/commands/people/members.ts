import { read } from 'stele-api/client';
import { type CommandDefinition, Option } from '../../command-line/command.js';
import { UsageError } from '../../command-line/errors.js';
import { addSiteOption, connectToSite, type SiteOptions } from '../../command-line/on-site.js';
import { formatTime } from '../../output/quantities.js';
import { assertConfirmed } from '../../output/questions.js';
import { formatTable } from '../../output/table.js';

type Role = 'owner' | 'editor' | 'viewer';
const ROLES: readonly Role[] = ['owner', 'editor', 'viewer'];

const listMembers: CommandDefinition = {
  usage: 'list',
  summary: 'list the members of a site and its pending invites',
  examples: [
    ['stele members list', 'lists who can see and change the site'],
    ['stele members list --site my-site --json', 'returns members and invites as JSON'],
  ],
  configure: addSiteOption,
  run: async (session, _, options: SiteOptions) => {
    const { stele, params } = await connectToSite(session, options);
    const query = { limit: 100 };
    const { items } = await read(stele.api.GET('/v1/sites/{slug}/members', { params: { ...params, query } }));
    const invites = await read(stele.api.GET('/v1/sites/{slug}/invites', { params: { ...params, query } })).catch(
      () => null,
    );
    session.output.result({
      json: { items, invites: invites?.items ?? null },
      quiet: items.map(({ id }) => id).join('\n'),
      text: formatTable(
        ['ID', 'WHO', 'ROLE', 'SINCE (UTC)'],
        [
          ...items.map(({ id, name, email, role, since }) => [
            id,
            email ?? name ?? '',
            role,
            since ? formatTime(since) : '',
          ]),
          ...(invites?.items ?? []).map(({ id, email, role, createdAt }) => [
            id,
            email ?? '',
            `${role} (invited)`,
            formatTime(createdAt),
          ]),
        ],
      ),
    });
  },
};

const changeRole: CommandDefinition = {
  usage: 'role <member> <role>',
  summary: 'change the role of a member: owner, editor or viewer',
  examples: [
    ['stele members role mem_01m8j9m1xge84vdgfxszhc1ff9 editor', 'makes the member an editor'],
    ['stele members role mem_01m8j9m1xge84vdgfxszhc1ff9 owner --site my-site', 'makes the member an owner of my-site'],
  ],
  configure: addSiteOption,
  run: async (session, [id = '', role = ''], options: SiteOptions) => {
    if (!ROLES.includes(role as Role)) throw new UsageError(`The role must be ${ROLES.join(', ')}, not ${role}.`);
    const { stele, slug } = await connectToSite(session, options);
    const path = { slug, id };
    const member = await read(
      stele.api.PATCH('/v1/sites/{slug}/members/{id}', { params: { path }, body: { role: role as Role } }),
    );
    session.output.result({
      json: { ...member },
      quiet: id,
      text: `${member.email ?? id} now has the role ${member.role} on ${slug}.`,
    });
  },
};

const removeMember: CommandDefinition = {
  usage: 'remove <id>',
  summary: 'remove a member (mem_…) or revoke an invite (inv_…)',
  examples: [
    ['stele members remove mem_01m8j9m1xge84vdgfxszhc1ff9', 'removes a member'],
    ['stele members remove inv_01m8j9m1xge84vdgfxszhc1ff9 --yes', 'revokes an invite without asking'],
  ],
  configure: addSiteOption,
  run: async (session, [id = ''], options: SiteOptions) => {
    const { stele, slug, params } = await connectToSite(session, options);
    await assertConfirmed(session, `Remove ${id} from the site ${slug}?`);
    await (id.startsWith('inv_')
      ? stele.api.DELETE('/v1/sites/{slug}/invites', { params: { ...params, query: { id } } })
      : stele.api.DELETE('/v1/sites/{slug}/members/{id}', { params: { path: { slug, id } } }));
    session.output.result({ json: { site: slug, id }, quiet: '', text: `Removed ${id}.` });
  },
};

export const members: CommandDefinition = {
  usage: 'members',
  summary: 'list, change and remove the members of a site',
  examples: [
    ['stele members list', 'lists who can see and change the site'],
    ['stele members remove mem_01m8j9m1xge84vdgfxszhc1ff9', 'removes a member'],
  ],
  children: [listMembers, changeRole, removeMember],
};

export const invite: CommandDefinition = {
  usage: 'invite <email>',
  summary: 'invite somebody to a site by email',
  examples: [
    ['stele invite ada@example.org', 'lets Ada deploy to the site of this folder'],
    ['stele invite ada@example.org --role viewer --site my-site', 'lets Ada see my-site and its history'],
  ],
  configure: (command) =>
    addSiteOption(command).addOption(
      new Option('--role <role>', 'the role of the new member').choices([...ROLES]).default('editor'),
    ),
  run: async (session, [email = ''], options: SiteOptions & { role: Role }) => {
    const { stele, slug, params } = await connectToSite(session, options);
    const sent = await read(
      stele.api.POST('/v1/sites/{slug}/invites', { params, body: { email, role: options.role } }),
    );
    session.output.result({
      json: { ...sent },
      quiet: sent.id,
      text: `Invited ${email} to ${slug} as ${options.role}.`,
    });
  },
};
