import { read, readAll } from 'stele-api/client';
import { ProblemError } from 'stele-api/problem';
import { type CommandDefinition, Option } from '../../command-line/command.js';
import { RefusedError, UsageError } from '../../command-line/errors.js';
import { addSiteOption, connectToSite, type OnSite, type SiteOptions } from '../../command-line/on-site.js';
import { formatTime } from '../../output/quantities.js';
import { assertConfirmed } from '../../output/questions.js';
import { formatTable } from '../../output/table.js';

type Role = 'owner' | 'editor' | 'viewer';
const ROLES: readonly Role[] = ['owner', 'editor', 'viewer'];

/** Reads the members of a site and its open invites. The invites are null if the caller cannot see them. */
async function readPeople({ stele, onPage }: OnSite) {
  const members = await readAll((page) => read(stele.api.GET('/v1/sites/{slug}/members', onPage(page))));
  const invites = await readAll((page) => read(stele.api.GET('/v1/sites/{slug}/invites', onPage(page)))).catch(
    (error) => {
      if (error instanceof ProblemError && error.status === 403) return null;
      throw error;
    },
  );
  return { members, invites };
}

/**
 * Finds a member or an open invite by email address or ID. If there is none, returns `who` as the ID, and the service
 * refuses it.
 */
async function findPerson(site: OnSite, who: string) {
  if (who.startsWith('mem_')) return { id: who, name: who, isInvited: false };
  const { members, invites } = await readPeople(site);
  const isMeant = ({ id, email }: { id: string; email: string | null }) =>
    id === who || email?.toLowerCase() === who.toLowerCase();
  const { id, email } = members.find(isMeant) ?? invites?.find(isMeant) ?? { id: who, email: null };
  return { id, name: email ?? who, isInvited: id.startsWith('inv_') };
}

const listMembers: CommandDefinition = {
  usage: 'list',
  summary: 'list the members of a site and its pending invites',
  examples: [
    ['stele members list', 'lists who can see and change the site'],
    ['stele members list --site my-site --json', 'returns members and invites as JSON'],
  ],
  configure: addSiteOption,
  run: async (session, _, options: SiteOptions) => {
    const { members: items, invites } = await readPeople(await connectToSite(session, options));
    session.output.result({
      json: { items, invites },
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
          ...(invites ?? []).map(({ id, email, role, createdAt }) => [
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
  summary: 'change the role of a member to owner, editor or viewer',
  examples: [
    ['stele members role ada@example.org editor', 'makes Ada an editor'],
    ['stele members role mem_01m8j9m1xge84vdgfxszhc1ff9 owner --site my-site', 'makes the member an owner of my-site'],
  ],
  configure: addSiteOption,
  run: async (session, [who = '', role = ''], options: SiteOptions) => {
    if (!ROLES.includes(role as Role)) throw new UsageError(`The role must be ${ROLES.join(', ')}, not ${role}.`);
    const site = await connectToSite(session, options);
    const { stele, slug } = site;
    const { id, name, isInvited } = await findPerson(site, who);
    if (isInvited)
      throw new RefusedError(
        `${name} is not a member yet, because the invite to ${slug} has not been accepted.`,
        'invite_pending',
        [
          {
            command: `stele invite ${name} --role ${role} --site ${slug}`,
            when: 'to send a new invite with this role',
          },
        ],
      );
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
  usage: 'remove <member>',
  summary: 'remove a member or an invite, by email address or ID',
  examples: [
    ['stele members remove ada@example.org', 'removes Ada, or her invite if she has not accepted it'],
    ['stele members remove inv_01m8j9m1xge84vdgfxszhc1ff9 --yes', 'revokes an invite without asking'],
  ],
  configure: addSiteOption,
  run: async (session, [who = ''], options: SiteOptions) => {
    const site = await connectToSite(session, options);
    const { stele, slug, params } = site;
    const { id, name, isInvited } = await findPerson(site, who);
    const what = isInvited ? `the invite for ${name}` : name;
    await assertConfirmed(session, `Remove ${what} from the site ${slug}?`);
    await (isInvited
      ? stele.api.DELETE('/v1/sites/{slug}/invites', { params: { ...params, query: { id } } })
      : stele.api.DELETE('/v1/sites/{slug}/members/{id}', { params: { path: { slug, id } } }));
    session.output.result({ json: { site: slug, id }, quiet: '', text: `Removed ${what}.` });
  },
};

export const members: CommandDefinition = {
  usage: 'members',
  summary: 'list, change and remove the members of a site',
  examples: [
    ['stele members list', 'lists who can see and change the site'],
    ['stele members remove ada@example.org', 'removes a member'],
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
