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

/** What the status page says to programs. */
export const statusOf = async (stele: Stele): Promise<ShownStatus> =>
  (await stele.api.get('/status').set('accept', 'application/json').expect(200)).body;

/** Of each part by its name how it is: `{ publish: 'well', … }`. */
export const partsOf = ({ components }: ShownStatus): Record<string, string> =>
  Object.fromEntries(components.map(({ name, status }) => [name, status]));

/** The status once it is so; the test's own time limit ends the wait. */
export async function statusWhen(stele: Stele, isSo: (status: ShownStatus) => boolean): Promise<ShownStatus> {
  for (;;) {
    const status = await statusOf(stele);
    if (isSo(status)) return status;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/** Those that fail, by their names. */
export const failing = ({ components }: ShownStatus) =>
  components.flatMap(({ name, status }) => (status === 'failing' ? [name] : []));
