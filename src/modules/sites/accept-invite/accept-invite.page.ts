import { html } from '../../../browser/markup.js';
import type { Role } from '../../../events/site/member.events.js';
import type { ConfirmationPage } from '../../../http/auth/links/magic-link.js';
import { ACCEPT } from '../invite/inviting.js';
import { rights } from '../members/roles.js';

type InvitePageData = {
  readonly slug: string;
  readonly url: string;
  readonly role: Role;
  /** Whom the invite went to. */
  readonly email: string;
  /** The owner's address; null where the account is gone. */
  readonly inviter: string | null;
  /** The address this browser is signed in with, where it is another. */
  readonly signedInAs: string | null;
};

/** What the page says before an invite is used up: who invites, which site, which role, and as whom. */
export const invitePage = ({ slug, url, role, email, inviter, signedInAs }: InvitePageData): ConfirmationPage => ({
  purpose: 'invite',
  path: ACCEPT,
  title: `Join ${slug}`,
  text: html`<p><strong>${inviter ?? 'An owner'}</strong> invites you to <a href="${url}">${url}</a> as <strong>${role}</strong>. Its ${role} ${rights[role]}.</p>
<p>One click, and you are signed in as <strong>${email}</strong>.</p>
${signedInAs === null ? null : html`<p>This browser is signed in as ${signedInAs} now, who does not join: the invite is for ${email}.</p>`}`,
  button: `Join as ${email}`,
});
