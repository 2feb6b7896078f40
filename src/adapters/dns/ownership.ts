import type { RecordFinding } from '../../kernel/ports/outside/domain-checker.js';
import type { DnsLookup } from './dns-lookup.js';
import { formatValueList } from './shown-values.js';

/** Checks whether a TXT record contains the token that was issued for this claim to the domain. */
export async function ownership(
  lookup: DnsLookup,
  { hostname, token }: { readonly hostname: string; readonly token: string },
): Promise<{ readonly record: RecordFinding; readonly verified: boolean | null }> {
  const name = `_stele.${hostname}`;
  const expected = `stele=${token}`;
  const found = await lookup.txt(name);
  const record = { type: 'TXT', name, expected, found: formatValueList(found ?? []) } as const;
  if (found === null) return { record: { ...record, state: 'unknown', advice: unanswered(name) }, verified: null };
  if (found.some((text) => withoutQuotes(text) === expected))
    return { record: { ...record, state: 'right', advice: '' }, verified: true };
  if (found.length === 0)
    return {
      record: { ...record, state: 'missing', advice: `Add a TXT record named ${name} with the value ${expected}.` },
      verified: false,
    };
  return {
    record: { ...record, state: 'wrong', advice: `Change the value of the TXT record ${name} to ${expected}.` },
    verified: false,
  };
}

export const unanswered = (name: string) =>
  `The name servers for ${name} did not respond. Stele will check the record again later. If the problem persists, check the name servers.`;

/** Removes quotes, which some DNS providers store if a value is entered as in a zone file. */
const withoutQuotes = (text: string) => text.trim().replace(/^"(.*)"$/, '$1');
