import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ConnectorTokenStore } from '../../../../accounts/tokens/connector-tokens.js';
import { bySystem } from '../../../../kernel/command-context.js';
import { BackgroundTask } from '../../../../kernel/faults/background-task.js';
import { EndingCredentials } from '../../people/tokens/ending-credentials.js';
import { SiteCommand } from '../../site/site-command.js';
import { decideEndUnowned, findTokenOwner } from './connector-token.decide.js';

export class EndUnownedConnectorTokens extends SiteCommand(decideEndUnowned) {}

const recording = new BackgroundTask('record_connector_token_owners');

/**
 * Records the owners of connector tokens from earlier versions, according to the events that issued them, and ends the
 * tokens of users who are no longer owners. If this fails, it is retried at the next start. Until then, those tokens
 * are refused because the log shows that their creators are no longer owners.
 */
@Injectable()
export class TokenOwnerReader {
  constructor(
    private readonly commands: CommandBus,
    private readonly tokens: ConnectorTokenStore,
    private readonly credentials: EndingCredentials,
  ) {}

  /** Resolves when all tokens have been checked. */
  async start(): Promise<void> {
    await recording.run(async () => {
      for (const siteId of await this.tokens.sitesOfUnowned()) await recording.run(() => this.record(siteId));
    });
  }

  async record(siteId: string): Promise<void> {
    const context = bySystem(new Date().toISOString());
    const { state, events } = await this.commands.execute(new EndUnownedConnectorTokens({ context, siteId }));
    await this.credentials.after(events);
    if (state.status !== 'live') return;
    for (const token of state.connectorTokens) {
      const userId = findTokenOwner(state, token);
      if (userId !== null && token.memberId !== null)
        await this.tokens.setOwner(token.tokenId, { userId, memberId: token.memberId });
    }
  }
}
