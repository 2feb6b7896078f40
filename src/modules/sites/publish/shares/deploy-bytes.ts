import { Injectable } from '@nestjs/common';
import { DailyAllowance } from '../../../../accounts/shares/daily-allowance.js';
import { ShareUse } from '../../../../accounts/shares/share-use.js';
import type { Meter } from '../../../../content/uploads/metered-intake.js';
import { formatBytes } from '../../../../kernel/output/quantities.js';
import { Refusal } from '../../../../kernel/refusal.js';
import { type Share, shareKey } from '../../../../kernel/shares/share.js';
import { StorageShares } from '../../../../settings/deploy-settings.js';

/** Counts how many bytes each user or network deploys per day. */
@Injectable()
export class DeployBytes {
  readonly #allowance: DailyAllowance;

  constructor(use: ShareUse, { deployBytesPerDay }: StorageShares) {
    this.#allowance = new DailyAllowance(use, 'deploy bytes', deployBytesPerDay);
  }

  /**
   * Returns a function that counts stored bytes towards the limit of the user or network, and refuses with
   * `rate_limited` beyond the limit.
   */
  meterOf(share: Share): Meter {
    const key = shareKey(share);
    return async (bytes) => {
      if (!(await this.#allowance.spend(key, bytes))) this.#refuse();
    };
  }

  #refuse(): never {
    const limit = formatBytes(this.#allowance.limit);
    throw new Refusal(
      'rate_limited',
      `Deployed files are limited to ${limit} per day for each user, or for each network if the site has no owner.`,
      [],
      {},
      this.#allowance.resetSeconds,
    );
  }
}
