import { SiteCommand } from '../../site/site-command.js';
import { decideRedeploy } from './publish.decide.js';

/** Makes new content of a site live, or stores it beside the live deploy. */
export class RedeploySite extends SiteCommand(decideRedeploy) {}
