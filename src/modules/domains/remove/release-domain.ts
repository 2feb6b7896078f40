import { DomainCommand } from '../domain-command.js';
import { decideRelease } from './remove.decide.js';

/** Ends the claim of a site that is gone. */
export class ReleaseDomain extends DomainCommand(decideRelease) {}
