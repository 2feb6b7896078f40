import { html } from '../../../../edge/browser/markup.js';
import type { ConfirmationPage } from '../../../../edge/http/auth/links/magic-link.js';
import type { Role } from '../../../../events/site/member.events.js';
import { ACCEPT } from '../invite/invite-handler.js';
import { rights } from '../members/roles.js';

type InvitePageData = {
  readonly slug: string;
  readonly url: string;
  readonly role: Role;
  /** Address that the invite was sent to. */
  readonly email: string;
  /** Address of the owner who sent the invite, or null if the account no longer exists. */
  readonly inviter: string | null;
  /** Address that this browser is signed in with if it differs from the invited address; otherwise null. */
  readonly signedInAs: string | null;
};

export const invitePage = ({ slug, url, role, email, inviter, signedInAs }: InvitePageData): ConfirmationPage => ({
  purpose: 'invite',
  path: ACCEPT,
  title: `Join ${slug}`,
  text: html`<p><strong>${inviter ?? 'An owner'}</strong> invited you to join <a href="${url}">${url}</a> with the role <strong>${role}</strong>. You’ll be able to ${rights[role]}.</p>
<p>Joining signs you in as <strong>${email}</strong>.</p>
${signedInAs === null ? null : html`<p>You are currently signed in as ${signedInAs}. This invite is for ${email}, so joining switches this browser to that account.</p>`}`,
  button: `Join as ${email}`,
});
