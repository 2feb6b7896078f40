import { z } from 'zod';
import type { Role } from '../../../../events/site/member.events.js';

/** The rights of each role are listed in docs/interface/sites.md, "Roles". */
export const roles = ['owner', 'editor', 'viewer'] as const satisfies readonly Role[];

export const RoleField = z.enum(roles);

/** Completions of "You'll be able to …" for each role. */
export const rights: Readonly<Record<Role, string>> = {
  owner: 'deploy the site, manage its members and domains, rename it and delete it',
  editor: 'deploy the site, roll it back and see its logs',
  viewer: 'see the history, files and logs of the site',
};
