// Draws docs/images/first-site.svg, the recording at the top of the README, by running its commands against a running
// service:
//
// npm start
// node tools/images/first-site.ts http://localhost:3000
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

const [base = 'http://localhost:3000'] = process.argv.slice(2);

/** Commands as shown, with the full command if it is longer. `$SITE` and `$EDIT_TOKEN` come from the first response. */
const steps = [
  {
    shown: [
      `curl -s $STELE/v1/deploy -H 'content-type: text/html' --data-binary '<h1>Hello</h1>' | jq '{url, editToken}'`,
    ],
    run: `curl -sf "$STELE/v1/deploy" -H 'content-type: text/html' --data-binary '<h1>Hello</h1>' >site.json; jq '{url, editToken}' site.json`,
  },
  {
    shown: [
      `curl -s -X PATCH "$STELE/v1/deploy?slug=$SITE" -H "x-svc-edit-token: $EDIT_TOKEN" \\`,
      `    -H 'content-type: text/html' --data-binary '<h1>Second version</h1>' | jq -c '{url}'`,
    ],
    run: `curl -sf -X PATCH "$STELE/v1/deploy?slug=$SITE" -H "x-svc-edit-token: $EDIT_TOKEN" -H 'content-type: text/html' --data-binary '<h1>Second version</h1>' | jq -c '{url}'`,
  },
  {
    shown: [
      `curl -s -X POST "$STELE/v1/sites/$SITE/rollback" -H "x-svc-edit-token: $EDIT_TOKEN" \\`,
      `    -H 'content-type: application/json' -d '{"deployId":"previous"}' | jq -c '{deployId}'`,
    ],
    run: `curl -sf "$STELE/v1/sites/$SITE/rollback" -H "x-svc-edit-token: $EDIT_TOKEN" -H 'content-type: application/json' -d '{"deployId":"previous"}' | jq -c '{deployId}'`,
  },
  {
    shown: [
      `curl -s "$STELE/v1/sites/$SITE/history" -H "x-svc-edit-token: $EDIT_TOKEN" | jq -r '.items[] | "\\(.at)  \\(.summary)"'`,
    ],
    run: `curl -sf "$STELE/v1/sites/$SITE/history" -H "x-svc-edit-token: $EDIT_TOKEN" | jq -r '.items[] | "\\(.at)  \\(.summary)"'`,
  },
];

const variables = `STELE=${base}; [ ! -e site.json ] || { SITE=$(jq -r .slug site.json); EDIT_TOKEN=$(jq -r .editToken site.json); }`;
const folder = execFileSync('mktemp', ['-d'], { encoding: 'utf8' }).trim();
const printedBy = (command: string) =>
  execFileSync('bash', ['-eo', 'pipefail', '-c', `${variables}\n${command}`], { cwd: folder, encoding: 'utf8' })
    .replaceAll(`localhost:${new URL(base).port}`, 'localhost:3000')
    // Shortens tokens, because viewers do not need the rest.
    .replaceAll(/(stele_edit_\w{6})\w+/g, '$1…')
    .trimEnd()
    .split('\n');

const LINE = 20;
const LEFT = 18;
const TOP = 56;
/** Delay between two steps, and delay between two lines of a step. */
const STEP_S = 2.2;
const LINE_S = 0.08;

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const rows: { text: string; kind: 'c' | 'o'; at: number }[] = [];
for (const [index, { shown, run }] of steps.entries()) {
  const at = 0.4 + index * STEP_S;
  for (const [line, text] of shown.entries()) rows.push({ text: line === 0 ? `$ ${text}` : text, kind: 'c', at });
  for (const [line, text] of printedBy(run).entries()) rows.push({ text, kind: 'o', at: at + 0.9 + line * LINE_S });
  rows.push({ text: '', kind: 'o', at });
}
rows.pop();
execFileSync('rm', ['-r', folder]);

const width = 1000;
const height = TOP + rows.length * LINE + 10;
const texts = rows
  .map(({ text, kind, at }, index) => ({ text, kind, at, y: TOP + index * LINE }))
  .filter(({ text }) => text !== '')
  .map(
    ({ text, kind, at, y }) =>
      `<text class="${kind}" x="${LEFT}" y="${y}" style="animation-delay:${at.toFixed(2)}s" xml:space="preserve">${escaped(text)}</text>`,
  );
const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A terminal session with Stele">
<style>
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; animation: show 0.01s both }
.c { fill: #e8e6df }
.o { fill: #9fd3a8 }
@keyframes show { from { opacity: 0 } to { opacity: 1 } }
@media (prefers-reduced-motion: reduce) { text { animation: none } }
</style>
<rect width="${width}" height="${height}" rx="10" fill="#1d1f21"/>
<circle cx="22" cy="20" r="6" fill="#e0605a"/><circle cx="42" cy="20" r="6" fill="#e3b341"/><circle cx="62" cy="20" r="6" fill="#5aab61"/>
${texts.join('\n')}
</svg>
`;
writeFileSync(new URL('../../docs/images/first-site.svg', import.meta.url), svg);
