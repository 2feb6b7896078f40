import { Lifecycle } from '../../nest/lifecycle.js';
import { provide } from '../../nest/provide.js';
import { ProcessContext } from '../context.js';
import { DomainServices } from './domain-services.js';
import { JobServices } from './job-services.js';
import { LiveServices } from './live-services.js';
import { LogServices } from './log-services.js';
import { ProgramServices } from './program-services.js';
import { ReadServices } from './read-services.js';
import { SiteServices } from './site-services.js';
import { StorageServices } from './storage-services.js';
import { TrafficServices } from './traffic-services.js';

/** In the order in which they start; they stop in the opposite one. */
const GROUPS = [
  LogServices,
  StorageServices,
  ReadServices,
  SiteServices,
  TrafficServices,
  DomainServices,
  JobServices,
  ProgramServices,
  LiveServices,
] as const;

/** What runs as long as the process does, by its roles. */
export const services = [
  ...GROUPS,
  provide(
    Lifecycle,
    [ProcessContext, ...GROUPS],
    ({ settings }, ...groups) =>
      new Lifecycle(
        settings.roles,
        groups.flatMap((group) => group.list()),
      ),
  ),
];
