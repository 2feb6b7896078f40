import type { NameRecords } from './dns-server.js';

export type ZoneFileRecord = { readonly name: string; readonly type: string; readonly value: string };

/** Returns the records of a zone file in which every line is complete (RFC 1035, section 5.1). */
export const recordsIn = (text: string): ZoneFileRecord[] =>
  text.split('\n').flatMap((line) => {
    const [entry = ''] = line.match(/^(?:[^;"]|"[^"]*")*/) ?? [];
    if (entry.trim() === '') return [];
    const fields = /^(?<name>\S+)\.\s+\d+\s+IN\s+(?<type>[A-Z]+)\s+(?<value>.*\S)\s*$/.exec(entry)?.groups;
    if (!fields) throw new Error(`No record: ${line}`);
    const { name = '', type = '', value = '' } = fields;
    return [{ name, type, value: type === 'TXT' ? value.slice(1, -1) : value.replace(/\.$/, '') }];
  });

export function zoneOf(records: readonly ZoneFileRecord[]): Record<string, NameRecords> {
  const zone: Record<string, NameRecords> = {};
  for (const { name, type, value } of records)
    zone[name] = { ...zone[name], [type]: type === 'CNAME' ? value : [value] };
  return zone;
}
