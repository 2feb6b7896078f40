import { relative } from 'node:path';
import Sequencer from '@jest/test-sequencer';

/** The files that take longest, the longest first: begun last, one of them would go on when all else is done. */
const longest = [
  'test/faults/rebuild.fault-spec.ts',
  'test/browser/hostile-page.browser-spec.ts',
  'test/faults/long-history.fault-spec.ts',
  'test/http/people/mail.http-spec.ts',
  'test/faults/disk-full.fault-spec.ts',
  'test/browser/pages.browser-spec.ts',
  'test/fleet/roles.fleet-spec.ts',
  'test/fleet/outages.fleet-spec.ts',
  'test/faults/outages.fault-spec.ts',
  'test/faults/secrets.fault-spec.ts',
  'test/faults/live-cut.fault-spec.ts',
  'test/faults/embedded-postgres.db-spec.ts',
  'test/http/deploying/idempotency.http-spec.ts',
  'test/faults/audit-files.fault-spec.ts',
];

/** Jest's own order, by what each file took last time or else by its size, after those that are known to take long. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const place = ({ path, context }) => {
      const at = longest.indexOf(relative(context.config.rootDir, path));
      return at < 0 ? longest.length : at;
    };
    return super.sort(tests).sort((one, other) => place(one) - place(other));
  }
}
