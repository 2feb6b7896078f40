import { relative } from 'node:path';
import Sequencer from '@jest/test-sequencer';

/** The slowest files, slowest first: if one of them began last, it would run when everything else is done. */
const longest = [
  'test/faults/rebuild.fault-spec.ts',
  'test/fleet/outages.fleet-spec.ts',
  'test/fleet/connector.fleet-spec.ts',
  'test/browser/hostile-page.browser-spec.ts',
  'test/browser/pages.browser-spec.ts',
  'test/browser/page-templates.browser-spec.ts',
  'test/faults/long-history.fault-spec.ts',
  'test/builds/next.build-spec.ts',
  'test/faults/points.fault-spec.ts',
  'test/builds/programs.container-spec.ts',
  'test/faults/event-store-outages.fault-spec.ts',
  'test/faults/status.fault-spec.ts',
  'test/faults/audit-files.fault-spec.ts',
  'test/http/service/kurrent.http-spec.ts',
  'test/faults/killed.fault-spec.ts',
  'test/fleet/roles.fleet-spec.ts',
  'test/faults/secrets.fault-spec.ts',
  'test/builds/container.container-spec.ts',
  'test/builds/package-managers.build-spec.ts',
  'test/builds/trusted-builds.build-spec.ts',
  'test/repositories/hostile.repo-spec.ts',
  'test/faults/outages.fault-spec.ts',
  'test/servers/shares.build-spec.ts',
  'test/repositories/jobs.repo-spec.ts',
  'test/faults/disk-full.fault-spec.ts',
  'test/faults/lifecycle.fault-spec.ts',
  'test/repositories/lifecycle.repo-spec.ts',
  'test/faults/clients/slow-visitors.fault-spec.ts',
  'test/http/sites/expiry.http-spec.ts',
  'test/builds/build.build-spec.ts',
  'test/browser/mail.browser-spec.ts',
  'test/http/history/audit.http-spec.ts',
  'test/faults/embedded-postgres.db-spec.ts',
  'test/builds/templates/quick.build-spec.ts',
  'test/faults/clients/live-cut.fault-spec.ts',
  'test/http/deploying/idempotency.http-spec.ts',
  'test/http/service/http-protocol.http-spec.ts',
  'test/http/people/mail.http-spec.ts',
  'test/builds/bubblewrap.build-spec.ts',
  'test/builds/container-service.container-spec.ts',
];

/** Puts the known slow files first, then uses Jest's own order: by last duration, or else by size. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const place = ({ path, context }) => {
      const at = longest.indexOf(relative(context.config.rootDir, path));
      return at < 0 ? longest.length : at;
    };
    return super.sort(tests).sort((one, other) => place(one) - place(other));
  }
}
