import { Inject, Injectable } from '@nestjs/common';
import { ActivityReactor } from '../../modules/traffic/activity/activity-reactor.js';
import { ErasedTraffic } from '../../modules/traffic/erase/erased-traffic.js';
import { Recorder } from '../../modules/traffic/record/recorder.js';
import { Retention } from '../../modules/traffic/retain/retention.js';
import { RollingUp } from '../../modules/traffic/roll-up/rolling-up.js';
import { type Service } from '../../nest/lifecycle.js';
import { AccessEntries } from '../../tables/traffic/access-entries.js';
import { Engines } from '../engines.js';
import { loop } from './loop.js';

/** What is known of visits, and what was done to sites. */
@Injectable()
export class TrafficServices {
  constructor(
    @Inject(Engines) private readonly engines: Engines,
    @Inject(AccessEntries) private readonly accessEntries: AccessEntries,
    @Inject(Recorder) private readonly recorder: Recorder,
    @Inject(Retention) private readonly retention: Retention,
    @Inject(ActivityReactor) private readonly activity: ActivityReactor,
    @Inject(RollingUp) private readonly rollingUp: RollingUp,
    @Inject(ErasedTraffic) private readonly erasedTraffic: ErasedTraffic,
  ) {}

  list(): Service[] {
    return [
      { name: 'countries', roles: ['serve'], start: async () => void (await this.engines.countries.start()) },
      { name: 'access log connection', start: async () => undefined, stop: () => this.accessEntries.close() },
      loop('access log', 'serve', this.recorder),
      loop('old log entries', 'worker', this.retention),
      loop('site activity recorder', 'worker', this.activity),
      loop('hourly and daily traffic', 'worker', this.rollingUp),
      loop('traffic of deleted sites', 'worker', this.erasedTraffic),
    ];
  }
}
