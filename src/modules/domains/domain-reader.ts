import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type FindOptionsWhere, In, Not, type Repository } from 'typeorm';
import { type PageRequest, skipAndTake } from '../../edge/http/api/schemas/pagination.js';
import { ServiceUrls } from '../../edge/http/api/service-urls.js';
import { domainStream } from '../../events/domain.events.js';
import { EventStore } from '../../kernel/event-store.js';
import { DomainRow, domainReadModel, domainRowId } from '../../projections/models/domain.projection.js';
import { DomainCheckQueue } from './check/domain-checks.js';
import { type DomainResponse, toDomainResponse } from './domain-response.js';
import { refuseUnknown } from './unknown-domain.rule.js';

@Injectable()
export class DomainReader {
  constructor(
    @InjectRepository(DomainRow) private readonly rows: Repository<DomainRow>,
    private readonly store: EventStore,
    private readonly checks: DomainCheckQueue,
    private readonly urls: ServiceUrls,
  ) {}

  /**
   * Reads a domain of a site from the event log, so that a write is visible before the read model has caught up.
   * Refuses a domain that the site does not have with `not_found`.
   */
  async fromLog(hostname: string, site: { readonly siteId: string; readonly slug: string }): Promise<DomainResponse> {
    const id = domainRowId(hostname, site.siteId);
    const { events } = await this.store.read(domainStream(hostname));
    const row = events
      .filter((event) => domainReadModel.touches(event).includes(id))
      .reduce<DomainRow | null>(
        (row, event) => domainReadModel.evolve(row ?? undefined, event, id) as DomainRow | null,
        null,
      );
    if (!row || row.status === 'removed') return refuseUnknown(hostname);
    const [last = null] = await this.checks.last([row]);
    return toDomainResponse(row, { slug: site.slug, siteDomain: this.urls.siteDomain, last });
  }

  /** Returns a page of the domains of the sites in `slugs`, newest first. `slugs` maps site IDs to slugs. */
  async page(
    slugs: ReadonlyMap<string, string>,
    query: PageRequest & { readonly status?: DomainResponse['status'] | undefined },
  ) {
    const { page, limit, status } = query;
    const where: FindOptionsWhere<DomainRow> = { siteId: In([...slugs.keys()]), status: status ?? Not('removed') };
    const [rows, total] = await this.rows.findAndCount({
      where,
      order: { addedAt: 'desc', id: 'asc' },
      ...skipAndTake(query),
    });
    const last = await this.checks.last(rows);
    const items = rows.map((row, n) =>
      toDomainResponse(row, {
        slug: slugs.get(row.siteId) ?? '',
        siteDomain: this.urls.siteDomain,
        last: last[n] ?? null,
      }),
    );
    return { items, page, limit, total };
  }
}
