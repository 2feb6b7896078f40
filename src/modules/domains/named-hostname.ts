import type { ServiceUrls } from '../../edge/http/api/service-urls.js';
import { Refusal } from '../../kernel/refusal.js';
import { hostnameOf, ownNames } from './hostname/hostname.js';
import { refuseUnknown } from './unknown-domain.decide.js';

/** The hostname that a path or body names, of a domain that is there. One that cannot be is an unknown one: `not_found`. */
export function namedHostname(text: string, urls: ServiceUrls): string {
  try {
    return hostnameOf(text, ownNames(urls)).hostname;
  } catch (error) {
    if (error instanceof Refusal) return refuseUnknown();
    throw error;
  }
}
