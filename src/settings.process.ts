import { z } from 'zod';
import { ROLES } from './process/nest/roles.js';
import { setting } from './settings.declaration.js';
import { contact, eventStoreAddress, masterKey, origin, proxies, roles, url } from './settings.forms.js';

/** Settings of the process and its URLs. */
export const processEnvironment = {
  PORT: setting(z.coerce.number().int().min(0).max(65535).default(3000), {
    description: 'Port to listen on. With 0 the system picks a free port, which is printed at the start.',
    form: 'an integer from 0 to 65535',
  }),
  HOST: setting(z.string().min(1).default('127.0.0.1'), {
    description: 'Network address to listen on: `127.0.0.1` for this machine alone, `0.0.0.0` for every interface.',
    form: 'an IP address or a host name',
  }),
  STELE_BASE_URL: setting(origin.optional(), {
    description: 'URL of the service itself. Every link is built from it.',
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
        'Domain of the sites: each is served at `{slug}.{STELE_SITE_DOMAIN}`. In production use a domain that is registered for nothing else.',
      form: 'a lower-case host name, with a port if it is not the default one',
      unset: '`localhost:{PORT}`',
    },
  ),
  STELE_MCP_URL: setting(url.refine((text) => (URL.parse(text)?.pathname ?? '/') !== '/').optional(), {
    description:
      'URL of the [MCP endpoint](guides/agents.md). Its path is served on the base URL, and tokens of connected apps are valid for this URL only.',
    form: 'an http or https URL with a path, such as https://stele.example.org/mcp',
    unset: '`{STELE_BASE_URL}/mcp`',
  }),
  STELE_ROLES: setting(roles.default(new Set(ROLES)), {
    description:
      'Roles of this process: `api` serves the API and the pages of the service, `serve` serves sites, `worker` runs jobs and scheduled work, `projector` keeps the read models. A process without all four roles requires `DATABASE_URL`.',
    form: `one or more of ${ROLES.join(', ')}, separated by commas or spaces`,
  }),
  STELE_LOG: setting(z.enum(['text', 'json']).optional(), {
    description: 'Format of the log. With `json` each line is one object.',
    form: 'text or json',
    unset: '`text`',
  }),
};

/** Settings of what the service stores, and where. */
export const storageEnvironment = {
  STELE_DATA: setting(z.string().min(1).default('./.stele'), {
    description:
      'Data folder: the embedded database, the content of sites, the master key, the outbox, and uploads in progress.',
    form: 'a path',
  }),
  DATABASE_URL: setting(
    z
      .string()
      .regex(/^postgres(ql)?:\/\//)
      .optional(),
    {
      description:
        'PostgreSQL 14 or later to use instead of the embedded one. Several processes may share it together with the data folder.',
      form: 'a URL such as postgres://user:password@host:5432/stele',
      unset: 'a PostgreSQL that Stele runs in the data folder',
    },
  ),
  EVENTSTORE_URL: setting(eventStoreAddress.optional(), {
    description:
      'EventStoreDB or KurrentDB that stores the events instead of PostgreSQL: `esdb://user:password@host:2113`, for a cluster `esdb://user:password@a:2113,b:2113,c:2113`, or `esdb+discover://…` with one DNS name for all nodes; `kurrentdb` can be used instead of `esdb`. `?tls=false` is for a server without TLS. `?streamPrefix=…` lets several services share a cluster: each needs its own prefix, and none may begin with another’s.',
    form: 'a connection string such as esdb://user:password@host:2113',
    unset: 'events are stored in PostgreSQL',
  }),
  REDIS_URL: setting(
    z
      .string()
      .regex(/^rediss?:\/\/\S+$/)
      .optional(),
    {
      description: 'Redis in which processes share their rate limits. Nothing fails while it is unavailable.',
      form: 'a URL such as redis://:password@host:6379/0',
      unset: 'each process counts for itself',
    },
  ),
  STELE_SECRET_KEY: setting(masterKey.optional(), {
    description: 'Master key, which encrypts secrets in the database. All processes on one database need the same key.',
    form: '32 bytes in base64, as `openssl rand -base64 32` prints them',
    unset: 'the file `master-key` in the data folder, which is created at the first start',
  }),
  STELE_SECRET_KEY_NEXT: setting(masterKey.optional(), {
    description: 'New master key, only for [`npm run secrets -- rotate`](operate.md#rotate-the-master-key).',
    form: '32 bytes in base64, as `openssl rand -base64 32` prints them',
    unset: 'that command makes one, unless `STELE_SECRET_KEY` is set',
  }),
};

/** Settings of access to the service. */
export const accessEnvironment = {
  STELE_RATE_LIMITS: setting(z.enum(['on', 'off']).optional(), {
    description:
      'Whether [rate limits](interface.md#rate-limits) apply, such as 10 anonymous deploys per hour and address. `/v1/limits` lists those that apply to the caller.',
    form: 'on or off',
    unset: '`off` if `STELE_BASE_URL` is a loopback address, otherwise `on`',
  }),
  STELE_TRUSTED_PROXIES: setting(proxies.default([]), {
    description:
      'Proxies whose `X-Forwarded-For` header is trusted. The scheme of links is always that of `STELE_BASE_URL`.',
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
        'Bearer token of the operator, for taking sites down, reporting incidents and reading metrics from another machine.',
      form: 'at least 16 ASCII characters without spaces',
      unset: 'these requests are refused',
    },
  ),
  STELE_SECURITY_CONTACT: setting(contact.optional(), {
    description: 'Contact for reports of vulnerabilities, published at `/.well-known/security.txt`.',
    form: 'an e-mail address, or a mailto:, https: or tel: URL',
    unset: '`{STELE_BASE_URL}/llms.txt`',
  }),
};

/** Settings of outgoing mail. */
export const mailEnvironment = {
  SMTP_URL: setting(
    z
      .string()
      .regex(/^smtps?:\/\/\S+$/)
      .optional(),
    {
      description: 'Mail server through which all mail is sent.',
      form: 'a URL such as smtp://user:password@mail.example.org:587',
      unset: 'if `STELE_BASE_URL` is a loopback address, mail is shown at `/dev/outbox`; otherwise no mail can be sent',
    },
  ),
  STELE_MAIL_FROM: setting(
    z
      .string()
      .regex(/^(?:[^<>\r\n]+<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/)
      .optional(),
    {
      description: 'Sender of all mail.',
      form: 'an e-mail address, with a name if you like: Stele <stele@example.org>',
      unset: '`Stele <stele@{host}>`, with the host of `STELE_BASE_URL`',
    },
  ),
};
