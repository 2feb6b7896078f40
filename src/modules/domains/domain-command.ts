import { domainStream } from '../../events/domain.events.js';
import { defineStreamCommand } from '../../nest/stream-command.js';
import { domain } from './domain.state.js';

/**
 * Returns a command class for one hostname that applies a decision: `class AddDomain extends DomainCommand(decideAdd)
 * {}`.
 */
export const DomainCommand = defineStreamCommand(
  ({ hostname }: { readonly hostname: string }) => domainStream(hostname),
  domain,
);
