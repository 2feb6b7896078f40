import { Module } from '@nestjs/common';
import { features } from '../../nest/features.js';
import { SitesModule } from '../sites/sites.module.js';
import { changeDomain } from './access/change.js';
import { addDomain } from './add/add.js';
import { FirstChecks } from './add/first-checks.js';
import { checkDomain } from './check/check.js';
import { DomainCheckScheduler } from './check/domain-check-scheduler.js';
import { domainChecksTable } from './check/domain-checks.js';
import { DomainReader } from './domain-reader.js';
import { listDomains } from './list/list.js';
import { DomainMails } from './mails/domain-mails.js';
import { removeDomain } from './remove/remove.js';
import { DomainTrail } from './trail/domain-trail.js';
import { UntoldDomains } from './trail/untold-domains.js';
import { exportZone } from './zone/export-zone.js';

@Module({
  imports: [SitesModule],
  ...features(
    { tables: [domainChecksTable] },
    {
      providers: [DomainReader, DomainTrail, DomainMails],
      loops: [
        { name: 'first domain checks', role: 'api', run: FirstChecks },
        { name: 'domain checks', role: 'worker', run: DomainCheckScheduler },
        { name: 'domain histories', role: 'worker', run: UntoldDomains },
      ],
    },
    addDomain,
    listDomains,
    changeDomain,
    checkDomain,
    removeDomain,
    exportZone,
  ),
})
export class DomainsModule {}
