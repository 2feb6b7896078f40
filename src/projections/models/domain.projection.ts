import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import {
  domainEvents,
  type HostnameEvent,
  isDomainStream,
  listAffectedSites,
  readHostname,
} from '../../events/domain.events.js';
import type { Visibility } from '../../events/site/settings.events.js';
import { readSiteId } from '../../events/site/site.events.js';
import { type SiteDomainEvent, siteDomainEvents } from '../../events/site/site-domain.events.js';
import type { Recorded } from '../../kernel/event-store.js';
import { defineReadModel } from '../read-model.js';

/** The state of each hostname for each site that added it. */
@Entity('domains')
@Index('domains_of_site', ['siteId', 'addedAt'])
export class DomainRow {
  /** Hostname and site ID, separated by a space. */
  @PrimaryColumn('text') id!: string;
  @Index('domains_by_hostname')
  @Column('text')
  hostname!: string;
  @Column('text', { name: 'site_id' }) siteId!: string;
  /**
   * Status of the site's claim on the hostname. A `removed` row is deleted once the site’s history records the removal.
   */
  @Column('text') status!: 'pending' | 'active' | 'lost' | 'failed' | 'removed';
  @Column('text') token!: string;
  @Column('text', { name: 'redirect_to', nullable: true }) redirectTo!: string | null;
  /** The site's visibility at this hostname, or null if the site's own setting applies. */
  @Column('text', { nullable: true }) visibility!: Visibility | null;
  @Column('boolean') hsts!: boolean;
  /**
   * Time at which a pending domain fails, or at which an active domain with missing DNS records is lost. Null for all
   * other domains.
   */
  @Column('timestamptz', { nullable: true }) until!: Date | null;
  @Column('timestamptz', { name: 'added_at' }) addedAt!: Date;
  /** Time at which the domain last became active, or null if it never did. */
  @Column('timestamptz', { name: 'active_at', nullable: true }) activeAt!: Date | null;
  /** Revision of the last event in the hostname’s stream that changed this row. */
  @Column('integer') revision!: number;
  /** Whether the last change of the domain is still missing from the site’s history. */
  @Index('domains_untold')
  @Column('boolean')
  untold!: boolean;
}

export const domainRowId = (hostname: string, siteId: string) => `${hostname} ${siteId}`;

export const domainReadModel = defineReadModel<DomainRow, HostnameEvent | SiteDomainEvent>(
  [...domainEvents, ...siteDomainEvents].map(({ type }) => type),
  {
    name: 'domain',
    version: 1,
    entity: DomainRow,

    touches(event) {
      if (!isOfHostname(event)) return [domainRowId(event.data.hostname, readSiteId(event.stream))];
      const hostname = readHostname(event.stream);
      return listAffectedSites(event).map((siteId) => domainRowId(hostname, siteId));
    },

    evolve(row, event, id) {
      if (!isOfHostname(event)) return row ? toldBy(row, event) : null;
      const siteId = id.slice(id.indexOf(' ') + 1);
      const change = changeBy(event, siteId);
      const { revision } = event;
      if ('token' in change) {
        const fresh = {
          id,
          hostname: readHostname(event.stream),
          siteId,
          visibility: null,
          hsts: false,
          activeAt: null,
        };
        return { ...fresh, addedAt: new Date(event.at), ...change, revision, untold: true };
      }
      // If the system removed the domain, its site was deleted and has no history in which to record the removal.
      // Delete the row now.
      if (!row || (change.status === 'removed' && event.actor.kind === 'system')) return null;
      return { ...row, ...change, revision, untold: true };
    },
  },
);

/** Reports whether an event is in a hostname's stream. Sites' own streams contain copies of such events. */
const isOfHostname = (event: Recorded<HostnameEvent | SiteDomainEvent>): event is Recorded<HostnameEvent> =>
  isDomainStream(event.stream);

function toldBy(row: DomainRow, { data }: SiteDomainEvent): DomainRow | null {
  if (data.revision < row.revision) return row;
  return row.status === 'removed' ? null : { ...row, untold: false };
}

type Beginning = Pick<DomainRow, 'token' | 'status' | 'until' | 'redirectTo'> & Partial<DomainRow>;

function changeBy(event: Recorded<HostnameEvent>, siteId: string): Beginning | Omit<Partial<DomainRow>, 'token'> {
  const { type, data } = event;
  switch (type) {
    case 'DomainAdded':
      return { status: 'pending', token: data.token, until: new Date(data.until), redirectTo: data.redirectTo };
    case 'DomainChanged':
      return { redirectTo: data.redirectTo, visibility: data.visibility, hsts: data.hsts };
    case 'DomainActivated':
      if (siteId !== data.siteId) return { status: 'lost', until: null };
      return { status: 'active', until: null, activeAt: new Date(event.at) };
    case 'DomainMissed':
      return { until: new Date(data.until) };
    case 'DomainFound':
      return { until: null };
    case 'DomainLost':
      return { status: 'lost', until: null };
    case 'DomainFailed':
      return { status: 'failed', until: null };
    case 'DomainMoved': {
      if (siteId !== data.to) return { status: 'removed' };
      const { token, hsts, status } = data;
      const activeAt = status === 'active' ? new Date(event.at) : null;
      return { token, hsts, status, activeAt, until: data.until ? new Date(data.until) : null, redirectTo: null };
    }
    case 'DomainRemoved':
      return { status: 'removed', until: null };
  }
}
