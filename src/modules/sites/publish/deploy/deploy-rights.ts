import { Injectable } from '@nestjs/common';
import { SessionStore } from '../../../../accounts/people/sessions.js';
import { type Caller, type CommandContext, toActor } from '../../../../kernel/command-context.js';
import { refuse } from '../../../../kernel/refusal.js';
import { type JobRight, type RightEnd, toJobRight } from '../../../../kernel/rights/job-right.js';
import { findRole } from '../../site/assert-access.rule.js';
import { SiteDirectory } from '../../site/site-directory.js';
import type { Site } from '../../site/state/site.state.js';
import { createJobStarter } from '../jobs/job-right.rule.js';
import { RevokedCredentials } from '../jobs/revoked-credentials.js';

/**
 * Error messages for the revocations that a site's own state does not show. For all other reasons, the rule that
 * publishes a deploy refuses with its own message.
 */
const UNSEEN_BY_THE_RULE: Partial<Record<RightEnd, string>> = {
  token_revoked: 'The access token used for this request was revoked before the upload was complete.',
  grant_revoked: 'The connected app that sent this request lost its access before the upload was complete.',
  publisher_removed: 'The trusted publisher used for this request was removed before the upload was complete.',
};

/** Checks, while the body of an upload arrives, whether the caller still has the right to deploy. */
@Injectable()
export class DeployRights {
  constructor(
    private readonly directory: SiteDirectory,
    private readonly revoked: RevokedCredentials,
    private readonly sessions: SessionStore,
  ) {}

  /** Returns the right with which a caller edits the site. Refuses a caller who cannot edit it. */
  rightOf(site: Site, context: CommandContext): JobRight {
    // Uploads receive no secrets, so trust is irrelevant.
    return { ...toJobRight(createJobStarter(site, context, null), toActor(context.caller)), trust: 'none' };
  }

  async whyEnded(siteId: string, right: JobRight): Promise<RightEnd | null> {
    return this.revoked.whyEnded((await this.directory.stateOf(siteId)).state, right);
  }

  /** Refuses a caller whose right has ended since the upload began, when the site was in the state `found`. */
  async assertLasts(siteId: string, found: Site, context: CommandContext): Promise<void> {
    const right = this.rightOf(found, context);
    // Edit tokens need no check here, because the rule that publishes the deploy refuses one that is no longer valid.
    if (right.kind === 'editToken') return;
    await this.#assertSessionLasts(context.caller);
    const { state } = await this.directory.stateOf(siteId);
    const end = await this.revoked.whyEnded(state, right);
    if (end === null) return;
    const detail = UNSEEN_BY_THE_RULE[end];
    if (detail !== undefined) refuse('unauthenticated', detail);
    if (end === 'member_removed' && findRole(state, context.caller) !== null)
      refuse('forbidden', 'You left and rejoined this site before the upload was complete. Deploy again.');
  }

  /** Refuses a caller whose session ended, or whose access token or connected app was revoked, during their request. */
  async assertCredentialLasts(caller: Caller): Promise<void> {
    await this.#assertSessionLasts(caller);
    const end = await this.revoked.whyDelegationEnded(caller);
    if (end !== null) refuse('unauthenticated', UNSEEN_BY_THE_RULE[end]);
  }

  /** Reports whether the session in which the caller acts has not been ended. Also true for a caller without one. */
  async isSessionKept({ sessionId }: Caller): Promise<boolean> {
    return sessionId === undefined || this.sessions.exists(sessionId);
  }

  async #assertSessionLasts(caller: Caller): Promise<void> {
    if (!(await this.isSessionKept(caller)))
      refuse('unauthenticated', 'The session used for this request ended before the upload was complete.');
  }
}
