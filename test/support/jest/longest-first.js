import { relative } from 'node:path';
import Sequencer from '@jest/test-sequencer';

/**
 * The slowest test files, slowest first. A slow file that started last would still run when everything else is done.
 */
const longest = [
  'test/faults/rebuild.system-spec.ts',
  'test/fleet/outages.fleet-spec.ts',
  'test/fleet/connector.fleet-spec.ts',
  'test/browser/hostile-page.system-spec.ts',
  'test/browser/pages.system-spec.ts',
  'test/browser/page-templates.system-spec.ts',
  'test/faults/long-history.system-spec.ts',
  'test/builds/next.system-spec.ts',
  'test/faults/points.system-spec.ts',
  'test/builds/servers-in-containers.system-spec.ts',
  'test/faults/event-store-outages.system-spec.ts',
  'test/faults/status.system-spec.ts',
  'test/faults/audit-files.system-spec.ts',
  'test/http/service/kurrent.http-spec.ts',
  'test/faults/killed.system-spec.ts',
  'test/fleet/roles.fleet-spec.ts',
  'test/faults/secrets.system-spec.ts',
  'test/builds/container.system-spec.ts',
  'test/builds/package-managers.system-spec.ts',
  'test/builds/trusted-builds.system-spec.ts',
  'test/repositories/hostile.system-spec.ts',
  'test/faults/outages.system-spec.ts',
  'test/servers/shares.system-spec.ts',
  'test/repositories/jobs.system-spec.ts',
  'test/faults/disk-full.system-spec.ts',
  'test/faults/lifecycle.system-spec.ts',
  'test/repositories/lifecycle.system-spec.ts',
  'test/faults/clients/slow-visitors.system-spec.ts',
  'test/http/sites/expiry.http-spec.ts',
  'test/builds/build.system-spec.ts',
  'test/browser/mail.system-spec.ts',
  'test/http/history/audit.http-spec.ts',
  'test/faults/embedded-postgres.db-spec.ts',
  'test/builds/templates/quick.system-spec.ts',
  'test/faults/clients/live-cut.system-spec.ts',
  'test/http/deploying/idempotency.http-spec.ts',
  'test/http/service/http-protocol.http-spec.ts',
  'test/http/people/mail.http-spec.ts',
  'test/builds/bubblewrap.system-spec.ts',
  'test/builds/container-service.system-spec.ts',
];

/** Puts the slow files listed above first, and then uses Jest's own order: by last duration, or else by size. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const place = ({ path, context }) => {
      const at = longest.indexOf(relative(context.config.rootDir, path));
      return at < 0 ? longest.length : at;
    };
    return super.sort(tests).sort((one, other) => place(one) - place(other));
  }
}
