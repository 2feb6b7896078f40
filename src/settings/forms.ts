import { isIP } from 'node:net';
import { z } from 'zod';
import { type ProcessRole, ROLES } from '../nest/roles.js';
import { EventStoreAddressError, kurrentAddress } from '../storage/store/kurrent/kurrent.address.js';

// Schemas for the values of settings. An invalid value is reported with the `form` of its setting (declaration.ts).
// Only EVENTSTORE_URL has its own messages, which name the invalid part of the URL.

const words = z.string().transform((text) =>
  text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean),
);

const listOf = (form: RegExp) => words.refine((list) => list.every((word) => form.test(word)));

/** A list of hosts with a port, in the form in which they appear in a URL. */
export const hosts = listOf(/^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\]):\d{1,5}$/);

export const hostNames = listOf(/^[a-z0-9.-]{1,253}$/);

/** A list of image registries, in the form in which they appear at the beginning of an image name. */
export const registries = listOf(/^(?:localhost|[a-z0-9.-]{1,253}(?:[.]|:\d)[a-z0-9.:-]*)$/);

export const nodeVersions = listOf(/^\d{1,3}\.\d{1,3}\.\d{1,3}$/);

export const acknowledgements = listOf(/^psl$/).transform((list): ReadonlySet<string> => new Set(list));

const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 };
/** A number with a unit of time, converted to milliseconds. */
export const duration = z
  .string()
  .regex(/^[1-9]\d{0,5}[smhd]$/)
  .transform((text) => Number(text.slice(0, -1)) * SECONDS[text.slice(-1) as keyof typeof SECONDS] * 1_000);

export const SIZE_FORM = 'a number of bytes, or a size such as 25 MiB';

const BYTES = { '': 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };

/** A number of bytes, or a number with a binary unit, such as `25 MiB`. */
export const bytes = z
  .string()
  .regex(/^(?:[0-9]{1,16}|[0-9]{1,6}(?:\.[0-9]{1,3})? ?[kmgt]ib)$/i)
  .transform((text) => {
    const unit = (/([kmgt])ib$/i.exec(text)?.[1] ?? '').toLowerCase() as keyof typeof BYTES;
    return Math.round(Number.parseFloat(text) * BYTES[unit]);
  })
  .refine((size) => Number.isSafeInteger(size));

export const size = (fallback: number) => bytes.refine((each) => each > 0).default(fallback);

export const count = (fallback: number) => z.coerce.number().int().positive().default(fallback);
export const proxies = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter(Boolean))
  .refine((list) => list.every(isAddressOrRange));
export const contact = z
  .string()
  .regex(/^(mailto:|https:\/\/|tel:)?[\x21-\x7e]+$/)
  .refine((text) => /^(mailto|https|tel):/.test(text) || text.includes('@'))
  .transform((text) => (/^(mailto|https|tel):/.test(text) ? text : `mailto:${text}`));
export const masterKey = z
  .string()
  .regex(/^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/)
  .transform((text) => Buffer.from(text, 'base64'));
/** An http or https URL. Trailing slashes are removed. */
export const url = z.url({ protocol: /^https?$/ }).transform((text) => text.replace(/(?<!\/)\/+$/, ''));

/** A base URL without a path. Links are built by appending paths to it. */
export const origin = url.refine((text) => URL.parse(text)?.origin === text);

/**
 * URL of an issuer. It is kept exactly as given, because it is compared with the `iss` claim of tokens (OpenID
 * Connect Discovery 1.0).
 */
export const issuer = z
  .url({ protocol: /^https?$/ })
  .refine((text) => /^[^?#@]+$/.test(text) && (text.startsWith('https:') || (URL.canParse(text) && isLoopback(text))));

export const roles = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter(Boolean))
  .refine((list) => list.every((name) => ROLES.some((role) => role === name)))
  .refine((list) => list.length > 0)
  .transform((list): ReadonlySet<ProcessRole> => new Set(ROLES.filter((role) => list.includes(role))));

export const eventStoreAddress = z.string().superRefine((text, context) => {
  try {
    kurrentAddress(text);
  } catch (error) {
    if (!(error instanceof EventStoreAddressError)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
  }
});

export const isLoopback = (url: string) => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);

function isAddressOrRange(text: string): boolean {
  const [address = '', prefix = '0', ...rest] = text.split('/');
  const version = isIP(address);
  return version !== 0 && rest.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128);
}
