import { domainStream } from '../../events/domain.events.js';
import { defineStreamCommand } from '../../nest/stream-command.js';
import { domain } from './domain.state.js';

/** Creates a command class from its rule: `class AddDomain extends DomainCommand(decideAdd) {}`. */
export const DomainCommand = defineStreamCommand(
  ({ hostname }: { readonly hostname: string }) => domainStream(hostname),
  domain,
);
