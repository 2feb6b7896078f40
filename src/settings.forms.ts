import { isIP } from 'node:net';
import { z } from 'zod';
import { type ProcessRole, ROLES } from './process/nest/roles.js';
import { EventStoreAddressFault, kurrentAddress } from './store/kurrent/kurrent.address.js';

/** Words of one text, in small letters. */
const words = z.string().transform((text) =>
  text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean),
);

/** `host:port` as it stands in an address, several with commas between. */
export const hosts = words.refine(
  (list) => list.every((host) => /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\]):\d{1,5}$/.test(host)),
  'hosts with their ports such as git.intranet:3000, with commas between',
);

/** Names of hosts without ports, with commas between. */
export const hostNames = words.refine(
  (list) => list.every((host) => /^[a-z0-9.-]{1,253}$/.test(host)),
  'names of hosts such as registry.npmjs.org, with commas between',
);

/** Registries of images, as the names of images begin with them. */
export const registries = words.refine(
  (list) => list.every((host) => /^(?:localhost|[a-z0-9.-]{1,253}(?:[.]|:\d)[a-z0-9.:-]*)$/.test(host)),
  'registries such as docker.io or registry.intranet:5000, with commas between',
);

/** Exact versions of Node, with commas between. */
export const nodeVersions = words.refine(
  (list) => list.every((version) => /^\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(version)),
  'exact versions such as 22.21.0, with commas between',
);

const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 };
export const duration = z
  .string()
  .regex(/^[1-9]\d{0,5}[smhd]$/, 'digits with s, m, h or d, such as 30d')
  .transform((text) => Number(text.slice(0, -1)) * SECONDS[text.slice(-1) as keyof typeof SECONDS] * 1_000);

export const bytes = (fallback: number) => z.coerce.number().int().positive().default(fallback);
export const proxies = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter(Boolean))
  .refine((list) => list.every(isAddressOrRange), 'addresses or ranges such as 10.0.0.0/8, with commas between');
export const contact = z
  .string()
  .regex(/^(mailto:|https:\/\/|tel:)?[\x21-\x7e]+$/, 'an e-mail address, or a mailto:, https: or tel: address')
  .refine((text) => /^(mailto|https|tel):/.test(text) || text.includes('@'), 'an e-mail or a web address')
  .transform((text) => (/^(mailto|https|tel):/.test(text) ? text : `mailto:${text}`));
export const masterKey = z
  .string()
  .regex(/^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/, '32 bytes in base64, such as `openssl rand -base64 32` makes')
  .transform((text) => Buffer.from(text, 'base64'));
export const address = z.url({ protocol: /^https?$/ }).transform((text) => text.replace(/(?<!\/)\/+$/, ''));

/** An origin: links are made by adding paths to it. */
export const origin = address.refine(
  (text) => URL.parse(text)?.origin === text,
  'an address without a path, such as https://stele.example.org',
);

/** Exactly as the provider names itself: it is compared with what stands in its tokens (OpenID Connect Discovery 1.0). */
export const issuer = z
  .url({ protocol: /^https?$/ })
  .refine(
    (text) => /^[^?#@]+$/.test(text) && (text.startsWith('https:') || (URL.canParse(text) && isLoopback(text))),
    'an https address such as https://login.example.org, without a query; http only on this machine',
  );

export const roles = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter(Boolean))
  .refine((list) => list.every((name) => ROLES.some((role) => role === name)), `some of ${ROLES.join(', ')}`)
  .refine((list) => list.length > 0, `at least one of ${ROLES.join(', ')}`)
  .transform((list): ReadonlySet<ProcessRole> => new Set(ROLES.filter((role) => list.includes(role))));

/** Of an EventStoreDB or KurrentDB, as its clients take it. */
export const eventStoreAddress = z.string().superRefine((text, context) => {
  try {
    kurrentAddress(text);
  } catch (error) {
    if (!(error instanceof EventStoreAddressFault)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
  }
});

export const isLoopback = (url: string) => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);

function isAddressOrRange(text: string): boolean {
  const [address = '', prefix = '0', ...rest] = text.split('/');
  const version = isIP(address);
  return version !== 0 && rest.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128);
}
