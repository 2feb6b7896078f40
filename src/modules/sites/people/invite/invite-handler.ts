import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { MailedLinkStore } from '../../../../accounts/people/mailed-links.js';
import { People } from '../../../../accounts/people/people.js';
import { MagicLink } from '../../../../edge/http/auth/links/magic-link.js';
import { hashSecret } from '../../../../edge/http/auth/secrets.js';
import { RateLimits } from '../../../../edge/http/limits/rate-limits.js';
import { rates } from '../../../../edge/http/limits/rates.js';
import { takeRate } from '../../../../edge/http/limits/take-rate.js';
import type { Role } from '../../../../events/site/member.events.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { KeyedMutex } from '../../../../kernel/concurrency/keyed-mutex.js';
import { Ids } from '../../../../kernel/ids.js';
import { Mail } from '../../../../kernel/ports/outside/mail.js';
import { refuse } from '../../../../kernel/refusal.js';
import { assertCanManage } from '../../site/assert-access.rule.js';
import { SiteCommand } from '../../site/site-command.js';
import { SiteDirectory } from '../../site/site-directory.js';
import { decideInvite } from './invite.decide.js';
import { inviteMail } from './invite.mail.js';
import { InviteStore } from './invites.js';

/** Path of the link in the invitation email. */
export const ACCEPT = '/v1/invites/accept';

/** Lifetime of an invite in seconds (docs/interface/sites.md, "Invites and members"). */
const SECONDS = 7 * 86_400;

export class InviteMember extends SiteCommand(decideInvite) {}

type NewInvite = { readonly siteId: string; readonly email: string; readonly role: Role };

/** Sends invites. Records an invite only after its email has been sent, so a failed email leaves no record. */
@Injectable()
export class InviteHandler {
  /** Prevents two owners who invite the same user at the same time from creating two open invites. */
  readonly #mutex = new KeyedMutex();

  constructor(
    private readonly commands: CommandBus,
    private readonly directory: SiteDirectory,
    private readonly magicLink: MagicLink,
    private readonly links: MailedLinkStore,
    private readonly invites: InviteStore,
    private readonly people: People,
    private readonly mail: Mail,
    private readonly limits: RateLimits,
    private readonly ids: Ids,
  ) {}

  /**
   * Invites a user. Refuses like `decideInvite`, and with `rate_limited` or `unavailable` if the mail can't be sent.
   */
  invite(reply: FastifyReply, context: CommandContext, invite: NewInvite) {
    const key = `${invite.siteId} ${invite.email.toLowerCase()}`;
    return this.#mutex.run(key, () => this.#invite(reply, context, invite));
  }

  async #invite(reply: FastifyReply, context: CommandContext, { siteId, email, role }: NewInvite) {
    const inviteId = this.ids.make('inv');
    const expiresAt = new Date(Date.parse(context.at) + SECONDS * 1_000).toISOString();
    const person = await this.people.findByEmail(email);
    const earlier = await this.invites.to(siteId, email);
    const invite = { context, inviteId, role, expiresAt, userId: person?.userId ?? null, earlier };
    const { state } = await this.directory.stateOf(siteId);
    decideInvite(state, invite);
    const { slug } = assertCanManage(state, context);
    const inviter = await this.#inviter(context);

    const about = { inviteId, siteId, invitedBy: inviter.userId, revokeKey: inviteId };
    const mail = async () => {
      await this.invites.keep({ inviteId, siteId, email, expiresAt });
      const { href } = await this.magicLink.makeForOther(ACCEPT, { purpose: 'invite', email, about, seconds: SECONDS });
      await this.mail.send(inviteMail(email, { slug, role, inviter: inviter.email }, href));
    };
    try {
      await takeRate(reply, this.limits, rates.inviteMails, hashSecret(email.toLowerCase()), mail);
      const outcome = await this.commands.execute(new InviteMember({ ...invite, siteId }));
      for (const { type, data } of outcome.events) if (type === 'InviteRevoked') await this.#forget(data.inviteId);
      return { inviteId, expiresAt, outcome };
    } catch (error) {
      await this.#forget(inviteId);
      throw error;
    }
  }

  async #inviter({ caller: { userId } }: CommandContext) {
    const person = userId === null ? null : await this.people.find(userId);
    return person ?? refuse('unauthenticated', 'This account no longer exists.');
  }

  async #forget(inviteId: string) {
    await this.links.revoke('invite', inviteId);
    await this.invites.drop([inviteId]);
  }
}
