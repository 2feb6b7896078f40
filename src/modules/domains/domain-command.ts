import { domainStream } from '../../events/domain.events.js';
import { defineStreamCommand } from '../../nest/stream-command.js';
import { domain } from './domain.state.js';

/** Creates a command class from the function that decides it: `class AddDomain extends DomainCommand(decideAdd) {}`. */
export const DomainCommand = defineStreamCommand(
  ({ hostname }: { readonly hostname: string }) => domainStream(hostname),
  domain,
);
