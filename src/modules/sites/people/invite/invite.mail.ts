import { html } from '../../../../edge/browser/markup.js';
import type { Role } from '../../../../events/site/member.events.js';
import type { Message } from '../../../../kernel/ports/outside/mail.js';
import { rights } from '../members/roles.js';

export type InviteMailData = {
  readonly slug: string;
  readonly role: Role;
  /** The inviter's verified address. */
  readonly inviter: string;
};

/**
 * The full link is visible, so that recipients see where it leads. The inviter can't choose any text of the mail, so
 * that invites can't be used to send advertising.
 */
export const inviteMail = (to: string, { slug, role, inviter }: InviteMailData, href: string): Message => ({
  to,
  subject: `Join ${slug} on Stele`,
  text: `${inviter} invited you to join the site ${slug} with the role ${role}. You’ll be able to ${rights[role]}.

Open this link to accept. It works once and expires in seven days:

${href}

If you do not know the sender, you can ignore this email.
`,
  html: html`<p>${inviter} invited you to join the site <strong>${slug}</strong> with the role ${role}. You’ll be able to ${rights[role]}.</p>
<p>Open this link to accept. It works once and expires in seven days:</p>
<p><a href="${href}">${href}</a></p>
<p>If you do not know the sender, you can ignore this email.</p>`.markup,
});
