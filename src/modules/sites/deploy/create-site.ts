import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type SiteEvent, siteStream } from '../../../events/site.events.js';
import { actorOf, type CommandContext } from '../../../kernel/command-context.js';
import { StorageFull } from '../../../kernel/faults/storage-full.js';
import { type Outcome, Transactions } from '../../../kernel/transactions.js';
import { type Site, site } from '../site/site.state.js';
import { SiteDirectory } from '../site/site-directory.js';
import { type DeployContent, decideCreate } from './publish.decide.js';

export class CreateSite extends Command<Outcome<Site, SiteEvent>> {
  constructor(
    readonly context: CommandContext,
    readonly siteId: string,
    /** The one that was asked for; null to have one made. */
    readonly slug: string | null,
    /** Of a site that will be nobody's; null where it has an owner from the start. */
    readonly editTokenHash: string | null,
    readonly owner: { readonly memberId: string; readonly userId: string } | null,
    readonly content: DeployContent,
    /** RFC 3339; null for a site that stays. */
    readonly expiresAt: string | null,
    /** An earlier try, whose answer was lost, may have made this very site. */
    readonly again: boolean,
  ) {
    super();
  }
}

/** Holds a slug, then brings the site into being: two streams, in this order, so that a slug never leads to two sites. */
@CommandHandler(CreateSite)
export class CreateSiteHandler implements ICommandHandler<CreateSite> {
  constructor(
    @Inject(Transactions) private readonly transactions: Transactions,
    @Inject(SiteDirectory) private readonly directory: SiteDirectory,
  ) {}

  async execute({ context, siteId, slug: asked, editTokenHash, owner, content, expiresAt, again }: CreateSite) {
    const slug = await this.directory.nameFor(siteId, asked, context.at, again);
    const by = { at: context.at, actor: actorOf(context.caller) };
    const command = { ...context, slug, editTokenHash, owner, content, expiresAt };
    try {
      return await this.transactions.begin(siteStream(siteId), site, decideCreate, command, by);
    } catch (error) {
      if (error instanceof StorageFull) this.directory.giveUp(siteId);
      throw error;
    }
  }
}
