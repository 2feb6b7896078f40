import { DomainCommand } from '../domain-command.js';
import { decideRelease } from './remove.decide.js';

/** Ends the claim of a site that no longer exists. */
export class ReleaseDomain extends DomainCommand(decideRelease) {}
