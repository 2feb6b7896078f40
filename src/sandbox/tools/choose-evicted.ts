import type { ToolMissing } from '../../kernel/ports/outside/builder.js';

export type StoreLimits = {
  /** Maximum size of all tools, in bytes. */
  readonly inAll: number;
  /** Maximum size of the tools downloaded for the builds of one owner, in bytes. */
  readonly ofOwner: number;
};

export type StoredTool = {
  readonly name: string;
  /** Owner of the build that downloaded it; null for a tool downloaded by an earlier version. */
  readonly owner: string | null;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly usedAt: number;
};

/**
 * Chooses the tools to remove to make room for another one. Tools in use stay. The owner’s own tools go first if they
 * would exceed the owner’s limit, then those of the owner with the largest total; among these, the least recently used
 * go first.
 */
export function chooseEvicted(
  stored: readonly StoredTool[],
  inUse: ReadonlySet<string>,
  { owner, bytes }: Pick<StoredTool, 'owner' | 'bytes'>,
  { inAll, ofOwner }: StoreLimits,
): readonly StoredTool[] | Extract<ToolMissing, 'owner_full' | 'full'> {
  const kept = new Set(stored);
  const taken = (of?: string | null) =>
    [...kept].reduce((sum, tool) => sum + (of === undefined || tool.owner === of ? tool.bytes : 0), 0) +
    (of === undefined || of === owner ? bytes : 0);
  const removable = stored.filter(({ name }) => !inUse.has(name)).sort((one, other) => one.usedAt - other.usedAt);
  const next = (of: string | null) => removable.find((tool) => kept.has(tool) && tool.owner === of);

  while (taken(owner) > ofOwner) {
    const own = next(owner);
    if (!own) return 'owner_full';
    kept.delete(own);
  }
  while (taken() > inAll) {
    const owners = new Set(removable.filter((tool) => kept.has(tool)).map((tool) => tool.owner));
    const [largest] = [...owners].sort((one, other) => taken(other) - taken(one));
    const tool = largest === undefined ? undefined : next(largest);
    if (!tool) return 'full';
    kept.delete(tool);
  }
  return stored.filter((tool) => !kept.has(tool));
}
