import type { Minute } from './minute.js';

const WIDTH = 900;
const HEIGHT = 130;
const LEFT = 90;

type Line = { readonly name: string; readonly colour: string; readonly values: readonly number[] };

export function pictureOf(minutes: readonly Minute[]): string {
  const of = (value: (minute: Minute) => number) => minutes.map(value);
  const latency = (kind: string, part: 'p50' | 'p99') => of(({ latencies }) => latencies.get(kind)?.[part] ?? 0);
  const panels = [
    panel('memory, MiB', [{ name: '', colour: '#1a6', values: of(({ memory }) => memory) }]),
    panel('open', [
      { name: 'descriptors', colour: '#16a', values: of(({ descriptors }) => descriptors) },
      { name: 'connections of the database', colour: '#a61', values: of(({ connections }) => connections) },
    ]),
    panel('tables, MiB', [{ name: '', colour: '#61a', values: of(({ tables }) => tables / 1024) }]),
    panel('ms', [
      { name: 'visit p99', colour: '#c33', values: latency('visit', 'p99') },
      { name: 'deploy p50', colour: '#36c', values: latency('deploy', 'p50') },
    ]),
  ];
  const height = panels.length * (HEIGHT + 40) + 30;
  const rows = panels.map((each, n) => `<g transform="translate(0 ${n * (HEIGHT + 40) + 30})">${each}</g>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">
<rect width="${WIDTH}" height="${height}" fill="#fff"/>
<line x1="${middle(minutes.length)}" x2="${middle(minutes.length)}" y1="20" y2="${height - 20}" stroke="#bbb" stroke-dasharray="4"/>
${rows.join('\n')}
</svg>
`;
}

const middle = (minutes: number) => across(Math.floor(minutes / 2), minutes);
const across = (n: number, of: number) => LEFT + (n / Math.max(1, of - 1)) * (WIDTH - LEFT - 30);

function panel(title: string, lines: readonly Line[]): string {
  const most = Math.max(1, ...lines.flatMap(({ values }) => values)) * 1.1;
  const drawn = lines.map(({ name, colour, values }, n) => {
    const points = values.map(
      (value, at) => `${across(at, values.length).toFixed(1)},${(HEIGHT - (value / most) * HEIGHT).toFixed(1)}`,
    );
    return `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${points.join(' ')}"/>
<text x="${LEFT + n * 220}" y="-4" fill="${colour}">${name}</text>`;
  });
  return `<text x="4" y="12">${title}</text><text x="${LEFT - 6}" y="12" text-anchor="end">${Math.round(most)}</text>
<text x="${LEFT - 6}" y="${HEIGHT}" text-anchor="end">0</text>
<line x1="${LEFT}" x2="${WIDTH - 30}" y1="${HEIGHT}" y2="${HEIGHT}" stroke="#888"/>
${drawn.join('\n')}`;
}
