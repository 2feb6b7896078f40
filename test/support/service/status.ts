import type { Stele } from './stele.js';

type Day = { readonly day: string; readonly well: number; readonly failing: number; readonly unknown: number };

export type ShownComponent = {
  readonly name: string;
  readonly status: string;
  readonly reason?: string;
  readonly uptime: number | null;
  readonly days: readonly Day[];
};

export type ShownStatus = {
  readonly status: string;
  readonly isCurrent: boolean;
  readonly recordsAt: string | null;
  readonly components: readonly ShownComponent[];
  readonly incidents: readonly { readonly id: string }[];
};

export const statusOf = async (stele: Stele): Promise<ShownStatus> =>
  (await stele.api.get('/status').set('accept', 'application/json').expect(200)).body;

/** Returns each component's status by name: `{ publish: 'well', … }`. */
export const partsOf = ({ components }: ShownStatus): Record<string, string> =>
  Object.fromEntries(components.map(({ name, status }) => [name, status]));

/** Polls the status until it matches, and returns it. Only the test's own timeout limits the wait. */
export async function statusWhen(stele: Stele, isSo: (status: ShownStatus) => boolean): Promise<ShownStatus> {
  for (;;) {
    const status = await statusOf(stele);
    if (isSo(status)) return status;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

export const failing = ({ components }: ShownStatus) =>
  components.flatMap(({ name, status }) => (status === 'failing' ? [name] : []));
