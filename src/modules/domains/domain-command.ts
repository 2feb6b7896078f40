import { domainStream } from '../../events/domain.events.js';
import { commandsOn } from '../../nest/stream-command.js';
import { domain } from './domain.state.js';

/**
 * Returns a command class for one hostname that applies a decision: `class AddDomain extends DomainCommand(decideAdd)
 * {}`.
 */
export const DomainCommand = commandsOn(
  ({ hostname }: { readonly hostname: string }) => domainStream(hostname),
  domain,
);
