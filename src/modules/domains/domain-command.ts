import { domainStream } from '../../events/domain.events.js';
import { commandsOn } from '../../nest/stream-command.js';
import { domain } from './domain.state.js';

/** Makes a class of commands on one hostname, of the rule that decides: `class AddDomain extends DomainCommand(decideAdd) {}`. */
export const DomainCommand = commandsOn(
  ({ hostname }: { readonly hostname: string }) => domainStream(hostname),
  domain,
);
