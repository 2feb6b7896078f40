import { Command } from '@nestjs/cqrs';
import { type SiteEvent, siteStream } from '../../../events/site.events.js';
import type { Given } from '../../../kernel/command-context.js';
import type { Outcome } from '../../../kernel/transactions.js';
import { handlerFor } from '../../../process/nest/handler-for.js';
import { type Site, site } from '../site/site.state.js';
import { type Content, decideRedeploy } from './publish.decide.js';

export class RedeploySite extends Command<Outcome<Site, SiteEvent>> {
  constructor(
    readonly given: Given,
    readonly siteId: string,
    readonly content: Content,
    readonly wish: { readonly ifRevision: number | null; readonly publish: boolean },
    /** The deploy that the content was made over; null when it stands for itself. */
    readonly over: string | null,
  ) {
    super();
  }
}

export const RedeploySiteHandler = handlerFor(RedeploySite, {
  stream: ({ siteId }) => siteStream(siteId),
  fold: site,
  decide: decideRedeploy,
  rule: ({ given, content, wish, over }) => ({
    ...given,
    content,
    over,
    ifRevision: wish.ifRevision,
    publish: wish.publish,
  }),
});
