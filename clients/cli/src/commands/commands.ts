import type { CommandDefinition } from '../command-line/command.js';
import { login, logout, whoami } from './account.js';
import { analytics } from './analytics.js';
import { claim } from './claim.js';
import { deleteSite } from './delete.js';
import { deploy } from './deploy.js';
import { deploys } from './deploys.js';
import { diff } from './diff.js';
import { domains } from './domains.js';
import { download } from './download.js';
import { history } from './history.js';
import { importSettings } from './import.js';
import { instances } from './instances.js';
import { jobs } from './jobs.js';
import { link, unlink } from './link.js';
import { logs, watch } from './logs.js';
import { openSite } from './open.js';
import { invite, members } from './people.js';
import { repo } from './repo.js';
import { rollback } from './rollback.js';
import { access, capabilities, rename, secrets } from './settings.js';
import { sites } from './sites.js';
import { publishers, tokens } from './tokens.js';

/** All commands in the order of the help: publishing, reading, sites, people, this machine. */
export const COMMANDS: readonly CommandDefinition[] = [
  ...[deploy, repo, rollback, deploys, diff, download, jobs],
  ...[history, logs, watch, analytics],
  ...[sites, openSite, access, rename, domains, secrets, capabilities, deleteSite],
  ...[claim, members, invite, tokens, publishers],
  ...[link, unlink, importSettings, login, logout, whoami, instances],
];
