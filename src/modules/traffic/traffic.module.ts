import { Module } from '@nestjs/common';
import { features } from '../../nest/features.js';
import { SitesModule } from '../sites/sites.module.js';
import { ActivityReactor } from './activity/activity-reactor.js';
import { allSites } from './all-sites/all-sites.js';
import { analytics } from './analytics/analytics.js';
import { AccessLog } from './api/access-log.js';
import { siteLogTable } from './api/site-log.js';
import { ErasedTraffic } from './erase/erased-traffic.js';
import { logs } from './logs/logs.js';
import { accessEntriesTable } from './record/tables/access-entries.js';
import { visitorSaltsTable } from './record/tables/visitor-salts.js';
import { Retention } from './retain/retention.js';
import { RollingUp } from './roll-up/rolling-up.js';
import { trafficRollUpsTable } from './roll-up/tables/traffic-roll-ups.js';
import { siteActivityTable } from './site-log/site-activity.js';

@Module({
  imports: [SitesModule],
  ...features(
    { tables: [siteLogTable, accessEntriesTable, visitorSaltsTable, siteActivityTable, trafficRollUpsTable] },
    logs,
    analytics,
    allSites,
    {
      loops: [
        { name: 'access log', role: 'serve', run: AccessLog },
        { name: 'old log entries', role: 'worker', run: Retention },
        { name: 'site activity recorder', role: 'worker', run: ActivityReactor },
        { name: 'hourly and daily traffic', role: 'worker', run: RollingUp },
        { name: 'traffic of deleted sites', role: 'worker', run: ErasedTraffic },
      ],
    },
  ),
  exports: [AccessLog],
})
export class TrafficModule {}
