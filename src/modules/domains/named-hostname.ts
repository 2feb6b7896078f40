import type { ServiceUrls } from '../../edge/http/api/service-urls.js';
import { Refusal } from '../../kernel/refusal.js';
import { ownNames, parseHostname } from './hostname/hostname.js';
import { refuseUnknown } from './unknown-domain.rule.js';

/** Parses a hostname in the URL of a request. Refuses an invalid one with `not_found`, like an unknown hostname. */
export function namedHostname(text: string, urls: ServiceUrls): string {
  try {
    return parseHostname(text, ownNames(urls)).hostname;
  } catch (error) {
    if (error instanceof Refusal) return refuseUnknown(text);
    throw error;
  }
}
