import { z } from 'zod';
import type { Role } from '../../../events/site/member.events.js';

/** What each of them may do is in docs/interface/sites.md, "Roles". */
export const roles = ['owner', 'editor', 'viewer'] as const satisfies readonly Role[];

export const RoleField = z.enum(roles);

/** What each of them may do, in a sentence that goes on after the role's name. */
export const rights: Readonly<Record<Role, string>> = {
  owner: 'deploys, and decides who else may, where it lives and whether it stays',
  editor: 'deploys, rolls back and sees its logs',
  viewer: 'sees its history, its files and its logs',
};
