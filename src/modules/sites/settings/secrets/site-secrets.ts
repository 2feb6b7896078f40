import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type NewSecret, Vault } from '../../../../accounts/vault.js';
import type { SiteEvent } from '../../../../events/site/site.events.js';
import type { CommandContext } from '../../../../kernel/command-context.js';
import { leftToCleaning } from '../../../../kernel/faults/ignored-fault.js';
import { Refusal, refuse } from '../../../../kernel/refusal.js';
import type { Outcome } from '../../../../kernel/transactions.js';
import { assertCanEdit } from '../../site/assert-access.rule.js';
import { SiteCommand } from '../../site/site-command.js';
import { SiteDirectory } from '../../site/site-directory.js';
import type { Site } from '../../site/state/site.state.js';
import { decideDeleteSecret, decideSetSecret, lastVersion, secretsInForce } from './secret.decide.js';

export class SetSiteSecret extends SiteCommand(decideSetSecret) {}

export class DeleteSiteSecret extends SiteCommand(decideDeleteSecret) {}

/**
 * Maximum number of attempts to set a secret. If several requests set it at the same time, all but one have to try
 * again with another version.
 */
const TRIES = 10;

export type SecretResponse = { readonly name: string; readonly version: number; readonly updatedAt: string };

/**
 * Stores the secrets of sites. To survive crashes, a new value is stored in the vault first and recorded in the log
 * next. Values that are no longer used are removed last.
 */
@Injectable()
export class SiteSecrets {
  constructor(
    private readonly vault: Vault,
    private readonly commands: CommandBus,
    private readonly directory: SiteDirectory,
  ) {}

  /** Lists the secrets in use, sorted by name. Requires an editor or owner. */
  async list(slug: string, context: CommandContext): Promise<readonly SecretResponse[]> {
    const { siteId, state } = await this.directory.get(slug, context.at);
    const inForce = secretsInForce(assertCanEdit(state, context));
    const kept = await this.vault.kept(siteId);
    return kept
      .filter(({ name, version }) => inForce.get(name) === version)
      .map(({ name, version, setAt }) => ({ name, version, updatedAt: setAt }));
  }

  /** Sets a secret. Every job that starts after the promise has resolved gets the new value. */
  async set(
    slug: string,
    name: string,
    value: string,
    context: CommandContext,
  ): Promise<Outcome<Site, SiteEvent> & SecretResponse> {
    for (let attempt = 1; ; attempt++) {
      const { siteId, state } = await this.directory.get(slug, context.at);
      const secret = { siteId, name, value, at: context.at };
      const version = await this.vault.keep(secret, lastVersion(state, { context, name }));
      const outcome = await this.#record(secret, version, context).catch((error: unknown) => {
        if (error instanceof Refusal && error.code === 'conflict' && attempt < TRIES) return null;
        throw error;
      });
      if (outcome === null) continue;
      await this.vault.settle(secret, version);
      await this.#forgetUnlessInForce(siteId, name, version);
      return { ...outcome, name, version, updatedAt: context.at };
    }
  }

  /**
   * Removes the stored value unless it is in use. Another request may have replaced or deleted the secret and removed
   * this value, before `settle` stored it again.
   */
  async #forgetUnlessInForce(siteId: string, name: string, version: number): Promise<void> {
    const { state } = await this.directory.stateOf(siteId);
    if (state.status === 'live' && secretsInForce(state).get(name) === version) return;
    await this.vault.forget(siteId, name, version, false);
  }

  async #record(secret: NewSecret, version: number, context: CommandContext): Promise<Outcome<Site, SiteEvent>> {
    const { siteId, name } = secret;
    try {
      return await this.commands.execute(new SetSiteSecret({ context, siteId, name, version }));
    } catch (error) {
      // A refused value is not in the log, so it can be removed. After any other error, the log might contain it, so
      // the periodic sweep decides.
      if (error instanceof Refusal) await this.vault.forget(siteId, name, version, false).catch(leftToCleaning);
      throw error;
    }
  }

  async delete(slug: string, name: string, context: CommandContext): Promise<Outcome<Site, SiteEvent>> {
    const { siteId } = await this.directory.get(slug, context.at);
    const outcome = await this.commands.execute(new DeleteSiteSecret({ context, siteId, name }));
    const { state } = outcome;
    const version = state.status === 'live' ? (state.secrets[name]?.version ?? 0) : 0;
    await this.vault.forget(siteId, name, version, true);
    return outcome;
  }

  /** Returns the site's secrets in use, by name. Empty for a site that no longer exists. */
  async environment(siteId: string): Promise<ReadonlyMap<string, string>> {
    for (let attempt = 1; attempt <= TRIES; attempt++) {
      const { state } = await this.directory.stateOf(siteId);
      const inForce: ReadonlyMap<string, number> = state.status === 'live' ? secretsInForce(state) : new Map();
      if (inForce.size === 0) return inForce as ReadonlyMap<string, never>;
      const values = await this.vault.values(siteId, inForce);
      // If a value is missing, it was replaced or deleted after the list of secrets was read. Read both again.
      if (values.size === inForce.size) return values;
    }
    return refuse('unavailable', 'This site’s secrets cannot be read right now.');
  }
}
