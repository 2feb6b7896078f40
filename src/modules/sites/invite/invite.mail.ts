import { html } from '../../../browser/markup.js';
import type { Role } from '../../../events/site/member.events.js';
import type { Message } from '../../../kernel/ports/outside/mail.js';
import { rights } from '../members/roles.js';

export type InviteMailData = {
  readonly slug: string;
  readonly role: Role;
  /** The inviter’s address, which was proven. */
  readonly inviter: string;
};

/**
 * The link in full, so that people see where it leads. It says nothing that the inviter could have written freely: a
 * mail of ours must not carry a stranger's advertisement.
 */
export const inviteMail = (to: string, { slug, role, inviter }: InviteMailData, href: string): Message => ({
  to,
  subject: `Join ${slug} on Stele`,
  text: `${inviter} invites you to the site ${slug}. Its ${role} ${rights[role]}.

Open this address to accept. It works once, for seven days:

${href}

If you do not know who this is, leave it: nothing happens.
`,
  html: html`<p>${inviter} invites you to the site <strong>${slug}</strong>. Its ${role} ${rights[role]}.</p>
<p>Open this address to accept. It works once, for seven days:</p>
<p><a href="${href}">${href}</a></p>
<p>If you do not know who this is, leave it: nothing happens.</p>`.markup,
});
