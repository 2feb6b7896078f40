import { DomainCommand } from '../domain-command.js';
import { decideRelease } from './remove.decide.js';

export class ReleaseDomain extends DomainCommand(decideRelease) {}
