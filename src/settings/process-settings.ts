import { z } from 'zod';
import { ROLES } from '../nest/roles.js';
import { setting } from './declaration.js';
import {
  acknowledgements,
  bytes,
  contact,
  eventStoreAddress,
  masterKey,
  origin,
  proxies,
  roles,
  SIZE_FORM,
  url,
} from './forms.js';

export const processEnvironment = {
  PORT: setting(z.coerce.number().int().min(0).max(65535).default(3000), {
    description:
      'Port to listen on. If the value is 0, the operating system chooses a free port, and Stele prints it on startup.',
    form: 'an integer from 0 to 65535',
  }),
  HOST: setting(z.string().min(1).default('127.0.0.1'), {
    description:
      'Network address to listen on. Use `127.0.0.1` to accept connections only from this machine, or `0.0.0.0` to accept connections on all interfaces.',
    form: 'an IP address or a host name',
  }),
  STELE_BASE_URL: setting(origin.optional(), {
    description: 'The service’s public URL. All links are based on it.',
    form: 'an http or https URL without a path, such as https://stele.example.org',
    unset: '`http://localhost:{PORT}`',
  }),
  STELE_SITE_DOMAIN: setting(
    z
      .string()
      .regex(/^[a-z0-9.-]+(:\d{1,5})?$/)
      .optional(),
    {
      description:
        'Domain for sites. Each site is served at `{slug}.{STELE_SITE_DOMAIN}`. In production, use a separate registered domain that serves nothing else.',
      form: 'a lowercase host name, with a port if it is not the default one',
      unset: '`localhost:{PORT}`',
    },
  ),
  STELE_MCP_URL: setting(url.refine((text) => (URL.parse(text)?.pathname ?? '/') !== '/').optional(), {
    description:
      'URL of the [MCP endpoint](guides/agents.md). Stele serves the endpoint at the path of this URL on the host of `STELE_BASE_URL`. Tokens of connected apps are valid only for this URL.',
    form: 'an http or https URL with a path, such as https://stele.example.org/mcp',
    unset: '`{STELE_BASE_URL}/mcp`',
  }),
  STELE_ROLES: setting(roles.default(new Set(ROLES)), {
    description:
      'Roles of this process: `api` serves the API and the service’s own pages, `serve` serves sites, `worker` runs jobs and scheduled tasks, and `projector` updates the read models. If a process does not have all four roles, `DATABASE_URL` is required.',
    form: `one or more of ${ROLES.join(', ')}, separated by commas or spaces`,
  }),
  STELE_FAST_PATH: setting(z.enum(['on', 'off']).default('on'), {
    description:
      'Whether frequent requests are handled by the [fast path](operate.md#the-fast-path), which is Stele’s own HTTP code. If the value is `off`, Node’s HTTP server and client handle all requests. The responses are the same but take more CPU time.',
    form: 'on or off',
  }),
  STELE_ACKNOWLEDGE: setting(acknowledgements.prefault(''), {
    description:
      'Startup warnings to hide. `psl` hides the warning that the domain for sites is not on the [Public Suffix List](operate.md#cookies-between-sites).',
    form: 'psl',
    unset: 'all warnings are shown',
  }),
  STELE_LOG: setting(z.enum(['text', 'json']).optional(), {
    description: 'Log format. If the value is `json`, each line is a JSON object.',
    form: 'text or json',
    unset: '`text`',
  }),
};

export const storageEnvironment = {
  STELE_DATA: setting(z.string().min(1).default('./.stele'), {
    description:
      'Data folder. It contains the embedded database, site content, the master key, the outbox and uploads in progress.',
    form: 'a path',
  }),
  STELE_DISK_RESERVE: setting(bytes.optional(), {
    description:
      'Free space that Stele leaves on the file system of the data folder. If there is less free space, deploys, uploads and builds are refused with 507 `storage_full`. Sites are still served, and everything that stores no content still works. `0` turns this check off.',
    form: SIZE_FORM,
    unit: 'bytes',
    unset: '1 GiB, or 5 % of the file system if that is more',
  }),
  DATABASE_URL: setting(
    z
      .string()
      .regex(/^postgres(ql)?:\/\//)
      .optional(),
    {
      description:
        'PostgreSQL database (version 14 or later) to use instead of the embedded one. Several processes can share the database if they also share the data folder.',
      form: 'a URL such as postgres://user:password@host:5432/stele',
      unset: 'an embedded PostgreSQL server in the data folder',
    },
  ),
  EVENTSTORE_URL: setting(eventStoreAddress.optional(), {
    description:
      'Connection string of an EventStoreDB or KurrentDB that stores the events instead of PostgreSQL: `esdb://user:password@host:2113`. For a cluster, use `esdb://user:password@a:2113,b:2113,c:2113`, or `esdb+discover://…` with one DNS name for all nodes. The scheme can also be `kurrentdb`. Add `?tls=false` if the server does not use TLS. If several services share a cluster, add `?streamPrefix=…` with a different prefix for each service. No prefix can begin with the prefix of another service.',
    form: 'a connection string such as esdb://user:password@host:2113',
    unset: 'events are stored in PostgreSQL',
  }),
  REDIS_URL: setting(
    z
      .string()
      .regex(/^rediss?:\/\/\S+$/)
      .optional(),
    {
      description:
        'Redis server through which the processes share their rate limits. If Redis is unavailable, no request fails, but each process counts requests separately.',
      form: 'a URL such as redis://:password@host:6379/0',
      unset: 'each process counts requests separately',
    },
  ),
  STELE_SECRET_KEY: setting(masterKey.optional(), {
    description:
      'Master key for encrypting secrets in the database. All processes that use the same database need the same key.',
    form: '32 bytes in base64, as `openssl rand -base64 32` prints them',
    unset: 'the key in the file `master-key` in the data folder, which Stele creates when it first starts',
  }),
  STELE_SECRET_KEY_NEXT: setting(masterKey.optional(), {
    description:
      'New master key for [`npm run secrets -- rotate`](operate.md#rotate-the-master-key). Only this command uses the setting.',
    form: '32 bytes in base64, as `openssl rand -base64 32` prints them',
    unset: 'the command generates a key, unless `STELE_SECRET_KEY` is set',
  }),
};

export const accessEnvironment = {
  STELE_RATE_LIMITS: setting(z.enum(['on', 'off']).optional(), {
    description:
      'Whether [rate limits](interface.md#rate-limits) are enforced, such as 10 anonymous deploys per hour from each IP address. `/v1/limits` lists the limits that apply to the caller.',
    form: 'on or off',
    unset: '`off` if `STELE_BASE_URL` is a loopback address, otherwise `on`',
  }),
  STELE_TRUSTED_PROXIES: setting(proxies.default([]), {
    description:
      'Proxies whose `X-Forwarded-For` header is trusted. Links always use the scheme of `STELE_BASE_URL`, whatever the proxies send.',
    form: 'a list of IP addresses or ranges such as 10.0.0.0/8, separated by commas or spaces',
    unset: 'none',
  }),
  STELE_ADMIN_TOKEN: setting(
    z
      .string()
      .regex(/^[\x21-\x7e]{16,}$/)
      .optional(),
    {
      description:
        'Bearer token of the operator. Requests that take a site down, report an incident or read metrics from another machine require this token.',
      form: 'at least 16 ASCII characters without spaces',
      unset: 'these requests are refused',
    },
  ),
  STELE_SECURITY_CONTACT: setting(contact.optional(), {
    description: 'Contact for vulnerability reports, published at `/.well-known/security.txt`.',
    form: 'an email address, or a mailto:, https: or tel: URL',
    unset: '`{STELE_BASE_URL}/llms.txt`',
  }),
};

export const mailEnvironment = {
  SMTP_URL: setting(
    z
      .string()
      .regex(/^smtps?:\/\/\S+$/)
      .optional(),
    {
      description: 'Mail server that delivers all emails.',
      form: 'a URL such as smtp://user:password@mail.example.org:587',
      unset:
        'if `STELE_BASE_URL` is a loopback address, emails are shown at `/dev/outbox`; otherwise no emails can be sent',
    },
  ),
  STELE_MAIL_FROM: setting(
    z
      .string()
      .regex(/^(?:[^<>\r\n]+<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/)
      .optional(),
    {
      description: 'Sender of all emails.',
      form: 'an email address, optionally with a name: Stele <stele@example.org>',
      unset: '`Stele <stele@{host}>`, with the host of `STELE_BASE_URL`',
    },
  ),
};
