import type { RecordFinding } from '../../kernel/ports/outside/domain-checker.js';
import type { DnsLookup, DnsResult } from './dns-lookup.js';
import type { OwnAddresses } from './own-addresses.js';
import { unanswered } from './ownership.js';
import { formatValue, formatValueList } from './shown-values.js';

type Direction = { readonly records: readonly RecordFinding[]; readonly leadsHere: boolean | null };

/**
 * Checks whether a name points to this service. Either its CNAME records end at one of our hosts, or one of its
 * addresses is ours (as with flattened CNAMEs).
 */
export async function direction(
  lookup: DnsLookup,
  name: string,
  target: string,
  isOurs: (name: string) => boolean,
  ownAddresses: Promise<OwnAddresses>,
): Promise<Direction> {
  const [chain, a, aaaa, own] = await Promise.all([
    lookup.chain(name, isOurs),
    lookup.a(name),
    lookup.aaaa(name),
    ownAddresses,
  ]);
  const cname = (state: RecordFinding['state'], advice: string): RecordFinding => {
    return { type: 'CNAME', name, expected: target, found: formatValueList(chain ?? []), state, advice };
  };
  const end = chain?.at(-1);
  if (end !== undefined && isOurs(end)) return { records: [cname('right', '')], leadsHere: true };

  const addresses = [addressFinding('A', name, a, own), addressFinding('AAAA', name, aaaa, own)];
  const found = addresses.filter((finding) => finding !== null);
  if ([...(a ?? []), ...(aaaa ?? [])].some(own.has))
    return { records: end === undefined ? found : [cname('right', ''), ...found], leadsHere: true };

  if (chain === null) return { records: [cname('unknown', unanswered(name))], leadsHere: null };
  const leadsHere = a === null || aaaa === null || !own.isComplete ? null : false;
  if (end !== undefined)
    return {
      records: [cname('wrong', `Point the CNAME record at ${target} instead of ${formatValue(chain[0] ?? end)}.`)],
      leadsHere,
    };
  if (found.length > 0) return { records: found, leadsHere };
  if (await lookup.isApex(name)) return { records: missingAtApex(name, target, own), leadsHere };
  return {
    records: [cname('missing', `Add a CNAME record for ${name} with the value ${target}.`)],
    leadsHere,
  };
}

function addressFinding(
  type: 'A' | 'AAAA',
  name: string,
  answer: DnsResult<string>,
  own: OwnAddresses,
): RecordFinding | null {
  const expected = own.of(type).join(', ');
  const finding = { type, name, expected, found: formatValueList(answer ?? []) } as const;
  if (answer === null) return { ...finding, state: 'unknown', advice: unanswered(name) };
  const others = answer.filter((address) => !own.has(address));
  if (answer.length === 0) return null;
  if (others.length === 0) return { ...finding, state: 'right', advice: '' };
  if (!own.isComplete) return { ...finding, state: 'unknown', advice: unanswered(name) };
  const isSome = others.length < answer.length || expected === '';
  const [first = ''] = others;
  const advice = isSome
    ? `Remove the ${type} record ${first}. It sends some visitors, and the certificate authority, to another server.`
    : `Change the ${type} record to ${expected}.`;
  return { ...finding, state: 'wrong', advice };
}

/** Suggests address records, because a CNAME record is not allowed at the apex of a zone. */
function missingAtApex(name: string, target: string, own: OwnAddresses): RecordFinding[] {
  const missing = (type: 'A' | 'AAAA'): RecordFinding[] => {
    const expected = formatValueList(own.of(type)).join(', ');
    const advice = `Add an ${type} record for ${name} with the value ${expected}, or an ALIAS to ${target} if your provider supports it.`;
    return expected === '' ? [] : [{ type, name, expected, found: [], state: 'missing', advice }];
  };
  const records = [...missing('A'), ...missing('AAAA')];
  if (records.length > 0) return records;
  const advice = `Add an ALIAS or ANAME record for ${name} that points to ${target}.`;
  return [{ type: 'A', name, expected: `the addresses of ${target}`, found: [], state: 'missing', advice }];
}
