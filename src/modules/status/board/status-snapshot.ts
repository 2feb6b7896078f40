import { components } from '../components.js';
import type { Incident } from '../incidents/incidents.js';
import type { LatestResult, StatusRecords } from '../probes/probe-results.js';
import { type ShownDay, shownDays } from './shown-days.js';

/** Time without a new probe result after which a component's status becomes unknown. */
const KNOWN_FOR_MS = 180_000;

export type PartStatus = 'well' | 'failing' | 'unknown';

export type ShownPart = (typeof components)[number] & {
  readonly status: PartStatus;
  /** Start of the current status, or null if the status is unknown. */
  readonly since: Date | null;
  readonly checkedAt: Date | null;
  readonly reason: string | null;
  readonly days: readonly ShownDay[];
};

export type StatusSnapshot = {
  readonly at: Date;
  /** Time at which the results and incidents were last read from the database. */
  readonly recordsAt: Date | null;
  readonly isCurrent: boolean;
  readonly status: PartStatus;
  /** Components that have been probed. */
  readonly parts: readonly ShownPart[];
  readonly incidents: readonly Incident[];
};

export type BoardRecords = StatusRecords & { readonly incidents: readonly Incident[]; readonly readAt: Date };

export function buildStatusSnapshot(
  records: BoardRecords | null,
  own: ReadonlyMap<string, LatestResult>,
  isCurrent: boolean,
  at: Date,
): StatusSnapshot {
  const parts = components.flatMap((component): ShownPart[] => {
    const days = records?.days.filter((day) => day.component === component.name) ?? [];
    const latest = newer(
      records?.latest.find((result) => result.component === component.name),
      own.get(component.name),
    );
    if (days.length === 0 && !latest) return [];
    const isKnown = latest !== undefined && at.getTime() - latest.at.getTime() < KNOWN_FOR_MS;
    return [
      {
        ...component,
        status: isKnown ? (latest.isWell ? 'well' : 'failing') : 'unknown',
        since: isKnown ? latest.since : null,
        checkedAt: latest?.at ?? null,
        reason: isKnown ? latest.reason : null,
        days: shownDays(days, at.getTime()),
      },
    ];
  });
  const has = (status: PartStatus) => parts.some((part) => part.status === status);
  const status = has('failing') ? 'failing' : parts.length === 0 || has('unknown') ? 'unknown' : 'well';
  return { at, recordsAt: records?.readAt ?? null, isCurrent, status, parts, incidents: records?.incidents ?? [] };
}

const newer = (one: LatestResult | undefined, other: LatestResult | undefined) =>
  one && other ? (other.at > one.at ? other : one) : (one ?? other);
