import { Injectable } from '@nestjs/common';
import { type JobRight, type RightEnd, RightEndedError } from '../../../kernel/rights/job-right.js';
import { isTrusted } from '../publish/jobs/job-right.rule.js';
import { RevokedCredentials } from '../publish/jobs/revoked-credentials.js';
import { secretsInForce } from '../settings/secrets/secret.decide.js';
import { SiteSecrets } from '../settings/secrets/site-secrets.js';
import { SiteDirectory } from '../site/site-directory.js';

export type JobEnvironment = {
  /** Whether the build is trusted. Only trusted builds receive secrets. */
  readonly isTrusted: boolean;
  /** Secrets by name, which must not appear in the build log. Empty if the build is not trusted. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Whether the site has secrets that this build does not receive. */
  readonly isWithheld: boolean;
};

/** Checks the rights of queued and running jobs, and reads the secrets that builds receive. */
@Injectable()
export class JobRights {
  constructor(
    private readonly directory: SiteDirectory,
    private readonly secrets: SiteSecrets,
    private readonly revoked: RevokedCredentials,
  ) {}

  async whyEnded(siteId: string, right: JobRight): Promise<RightEnd | null> {
    const { state } = await this.directory.stateOf(siteId);
    return this.revoked.whyEnded(state, right);
  }

  /**
   * Returns those of the given rights whose access token or grant was revoked. Expired tokens do not count as revoked.
   */
  listRevoked<Right extends JobRight>(rights: readonly Right[]): Promise<readonly Right[]> {
    return this.revoked.among(rights);
  }

  /**
   * Returns the secrets that a build with this right receives. Throws `RightEndedError` if the right has ended or ends
   * during the read, because the secrets might then belong to a new owner.
   */
  async readEnvironment(siteId: string, right: JobRight): Promise<JobEnvironment> {
    await this.#assertLasts(siteId, right);
    const { state } = await this.directory.stateOf(siteId);
    if (!isTrusted(state, right)) {
      const isWithheld = state.status === 'live' && secretsInForce(state).size > 0;
      return { isTrusted: false, secrets: new Map<string, string>(), isWithheld };
    }
    const secrets = await this.secrets.environment(siteId);
    // The site may have been claimed in the meantime, and the new owner may have set a secret.
    if (secrets.size > 0) await this.#assertLasts(siteId, right);
    return { isTrusted: true, secrets, isWithheld: false };
  }

  /**
   * Counts the rights to deploy the site that have ended. Rights end when the site is claimed, when a member, token or
   * publisher is removed, or when a member is demoted. If the count has changed, a build does not reuse dependencies
   * installed by earlier builds.
   */
  async countEnded(siteId: string): Promise<number> {
    const { state } = await this.directory.stateOf(siteId);
    return state.status === 'live' ? state.endedRights : 0;
  }

  async #assertLasts(siteId: string, right: JobRight): Promise<void> {
    const end = await this.whyEnded(siteId, right);
    if (end !== null) throw new RightEndedError(end);
  }
}
