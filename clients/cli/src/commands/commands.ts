import type { CommandDefinition } from '../command-line/command.js';
import { login, logout, whoami } from './machine/account.js';
import { completions } from './machine/completions.js';
import { instances } from './machine/instances.js';
import { link, unlink } from './machine/link.js';
import { claim } from './people/claim.js';
import { invite, members } from './people/members.js';
import { publishers, tokens } from './people/tokens.js';
import { deploy } from './publishing/deploy.js';
import { deploys } from './publishing/deploys.js';
import { diff } from './publishing/diff.js';
import { download } from './publishing/download.js';
import { importSettings } from './publishing/import.js';
import { jobs } from './publishing/jobs.js';
import { repo } from './publishing/repo.js';
import { rollback } from './publishing/rollback.js';
import { analytics } from './site/analytics.js';
import { deleteSite } from './site/delete.js';
import { domains } from './site/domains.js';
import { history } from './site/history.js';
import { logs, watch } from './site/logs.js';
import { openSite } from './site/open.js';
import { access, capabilities, rename, secrets } from './site/settings.js';
import { sites } from './site/sites.js';

/** All commands in the order of the help: publishing, reading, sites, people, this machine. */
export const COMMANDS: readonly CommandDefinition[] = [
  ...[deploy, repo, rollback, deploys, diff, download, jobs],
  ...[history, logs, watch, analytics],
  ...[sites, openSite, access, rename, domains, secrets, capabilities, deleteSite],
  ...[claim, members, invite, tokens, publishers],
  ...[link, unlink, importSettings, login, logout, whoami, instances, completions],
];
