import { randomBytes } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type SiteEvent, siteStream } from '../../../events/site.events.js';
import { actorOf, type Given } from '../../../kernel/caller.js';
import { Refusal } from '../../../kernel/refusal.js';
import { type Outcome, Transactions } from '../../../kernel/transactions.js';
import { type Site, site } from '../site.state.js';
import { SiteDirectory } from '../site-directory.js';
import { readableSlug } from '../slugs/slug-name.js';
import { type Content, decideCreate } from './publish.decide.js';

export class CreateSite extends Command<Outcome<Site, SiteEvent>> {
  constructor(
    readonly given: Given,
    readonly siteId: string,
    /** The one that was asked for; null to have one made. */
    readonly slug: string | null,
    readonly editTokenHash: string,
    readonly content: Content,
  ) {
    super();
  }
}

const TRIES = 20;

/** Holds a slug, then brings the site into being: two streams, in this order, so that a slug never leads to two sites. */
@CommandHandler(CreateSite)
export class CreateSiteHandler implements ICommandHandler<CreateSite> {
  constructor(
    @Inject(Transactions) private readonly transactions: Transactions,
    @Inject(SiteDirectory) private readonly directory: SiteDirectory,
  ) {}

  async execute({ given, siteId, slug: asked, editTokenHash, content }: CreateSite): Promise<Outcome<Site, SiteEvent>> {
    const slug = asked === null ? await this.#holdAny(siteId, given.at) : asked;
    if (asked !== null) await this.directory.hold(asked, siteId, given.at);

    const by = { at: given.at, actor: actorOf(given.caller) };
    return this.transactions.run(
      siteStream(siteId),
      site,
      decideCreate,
      { ...given, slug, editTokenHash, content },
      by,
    );
  }

  async #holdAny(siteId: string, at: string): Promise<string> {
    for (let attempt = 1; ; attempt++) {
      const slug = readableSlug(randomBytes(6).readUIntBE(0, 6));
      try {
        await this.directory.hold(slug, siteId, at);
        return slug;
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'slug_taken' || attempt === TRIES) throw error;
      }
    }
  }
}
