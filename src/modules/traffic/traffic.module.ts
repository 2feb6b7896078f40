import { Module } from '@nestjs/common';
import { features } from '../../process/nest/features.js';
import { allSites } from './all-sites/all-sites.js';
import { analytics } from './analytics/analytics.js';
import { erase } from './erase/erase.js';
import { ErasedTraffic } from './erase/erased-traffic.js';
import { record } from './record/record.js';
import { Recorder } from './record/recorder.js';
import { Retention } from './retain/retention.js';
import { rollUp } from './roll-up/roll-up.js';
import { RollingUp } from './roll-up/rolling-up.js';

/** Who came to a site, and what happened there. */
@Module({
  ...features(record, rollUp, erase, analytics, allSites),
  exports: [Recorder, Retention, RollingUp, ErasedTraffic],
})
export class TrafficModule {}
