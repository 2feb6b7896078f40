import type { Person } from '../../../accounts/people/people.js';
import { html, type Markup } from '../../../edge/browser/markup.js';
import { computeNetwork } from '../../../edge/http/limits/client-address.js';
import { webPage } from '../../../edge/http/pages/web-page.js';
import { parseLoopbackPort } from './loopback-address.js';
import type { TerminalRequester, TerminalSignIn } from './terminal-sign-ins.js';

type FromBrowser = { readonly challenge: string; readonly state: string; readonly redirect_uri: string };

const TITLE = 'Allow a terminal to act for you?';

/** Renders the page that asks the user to approve the program on this computer that opened the browser. */
export function approvePage(
  person: Person,
  { address, client }: TerminalRequester,
  action: string,
  asked: FromBrowser,
): string {
  const facts = [
    fact('Program', html`on this computer, on port <strong>${parseLoopbackPort(asked.redirect_uri)}</strong>`),
    fact('IP address', html`${address}`),
    fact('Browser', html`<span class="soft">${client ?? 'unknown'}</span>`),
  ];
  return webPage(
    TITLE,
    html`<p>A program on this computer wants to act as <strong>${person.email}</strong>.</p>
<dl class="facts">${facts}</dl>
${answers(person, action, Object.entries(asked))}`,
  );
}

/**
 * Renders the page that asks the user to approve a terminal on any computer. `from` is the IP address of the user's
 * browser.
 */
export function approveTicketPage(person: Person, signIn: TerminalSignIn, action: string, from: string): string {
  const { requester, userCode, expiresAt } = signIn;
  const near = computeNetwork(requester.address) === computeNetwork(from);
  const facts = [
    fact('Program', html`${requester.client ?? 'unknown'}`),
    fact(
      'IP address',
      html`${requester.address}, ${near ? 'on the same network as you' : html`<strong>not on your network</strong>`}`,
    ),
    fact('Expires', html`<time datetime="${expiresAt}">${expiresAt.slice(11, 16)} UTC</time>`),
  ];
  return webPage(
    TITLE,
    html`<p>A terminal wants to act as <strong>${person.email}</strong>. Check that it shows this code:</p>
<p class="code">${userCode}</p>
<dl class="facts">${facts}</dl>
${answers(person, action, [])}`,
  );
}

const fact = (name: string, value: Markup): Markup => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

/** Form for the user’s decision. Only the user submits it, never a script. */
const answers = ({ userId }: Person, action: string, fields: readonly (readonly [string, string])[]): Markup =>
  html`<p>If you approve, the terminal can deploy to your sites, change them and delete them. Approve only a sign-in that you have just started yourself. If someone else sent you to this page, deny it.</p>
<form method="post" action="${action}">
${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<input type="hidden" name="as" value="${userId}">
<div class="choices">
<button name="decision" value="approve">Approve</button>
<button class="quiet" name="decision" value="deny">Deny</button>
</div>
<p class="soft">Not you? <button class="link" name="decision" value="other">Sign in as someone else</button></p>
</form>`;
