import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Attempt } from '../../../../accounts/idempotency/idempotency-keys.js';
import { type SiteEvent, siteStream } from '../../../../events/site/site.events.js';
import { type CommandContext, toAuthor } from '../../../../kernel/command-context.js';
import { StorageFullError } from '../../../../kernel/faults/storage-full.js';
import { type Outcome, Transactions } from '../../../../kernel/transactions.js';
import { SiteCommand } from '../../site/site-command.js';
import { SiteDirectory } from '../../site/site-directory.js';
import { type Site, site } from '../../site/state/site.state.js';
import { type Create, decideCreate, decideRedeploy } from './publish.decide.js';

/** Publishes new content of a site, or stores it without making it live. */
export class RedeploySite extends SiteCommand(decideRedeploy) {}

export class CreateSite extends Command<Outcome<Site, SiteEvent>> {
  constructor(
    readonly input: Omit<Create, 'slug'> & {
      readonly context: CommandContext;
      readonly siteId: string;
      /** Slug requested by the caller, or null to let the service choose it. */
      readonly slug: string | null;
      readonly attempt: Attempt;
    },
  ) {
    super();
  }
}

/**
 * Creates a site. This writes to the streams of the slug and the site, so it has its own handler. The slug is held
 * first, so that it can't lead to two sites.
 */
@CommandHandler(CreateSite)
export class CreateSiteHandler implements ICommandHandler<CreateSite> {
  constructor(
    private readonly transactions: Transactions,
    private readonly directory: SiteDirectory,
  ) {}

  async execute({ input }: CreateSite) {
    const { context, siteId, attempt } = input;
    const slug =
      attempt === 'first'
        ? await this.directory.holdFor(siteId, input.slug, context.at)
        : await this.directory.holdAgainFor(siteId, input.slug, context.at);
    try {
      return await this.transactions.begin(
        siteStream(siteId),
        site,
        decideCreate,
        { ...input, slug },
        toAuthor(context),
      );
    } catch (error) {
      if (error instanceof StorageFullError) this.directory.giveUp(siteId);
      throw error;
    }
  }
}
