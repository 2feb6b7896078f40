import { Module } from '@nestjs/common';
import { features } from '../../nest/features.js';
import { activity } from './activity/activity.js';
import { ActivityReactor } from './activity/activity-reactor.js';
import { allSites } from './all-sites/all-sites.js';
import { analytics } from './analytics/analytics.js';
import { erase } from './erase/erase.js';
import { ErasedTraffic } from './erase/erased-traffic.js';
import { logs } from './logs/logs.js';
import { record } from './record/record.js';
import { Recorder } from './record/recorder.js';
import { Retention } from './retain/retention.js';
import { rollUp } from './roll-up/roll-up.js';
import { RollingUp } from './roll-up/rolling-up.js';

/** Who came to a site, and what happened there. */
@Module({
  ...features(record, activity, logs, rollUp, analytics, allSites, erase),
  exports: [Recorder, ActivityReactor, RollingUp, Retention, ErasedTraffic],
})
export class TrafficModule {}
