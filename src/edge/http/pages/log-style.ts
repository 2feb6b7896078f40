import { LEVELS } from '../../browser/sgr.js';

type Rgb = readonly [red: number, green: number, blue: number];

/**
 * Background of a log. It is dark in both colour schemes, because terminal programs choose colours for dark
 * backgrounds.
 */
const GROUND: Rgb = [23, 22, 20];

/** The sixteen colours that each terminal defines for itself. */
const OWN: readonly Rgb[] = [
  [43, 41, 38],
  [224, 92, 84],
  [98, 180, 98],
  [214, 164, 62],
  [98, 160, 234],
  [204, 130, 216],
  [86, 182, 190],
  [216, 212, 202],
  [143, 139, 130],
  [255, 140, 130],
  [140, 220, 140],
  [244, 208, 104],
  [150, 198, 255],
  [236, 170, 244],
  [136, 222, 228],
  [255, 255, 255],
];

/** xterm's palette: the terminal's sixteen colours, a cube of 6 × 6 × 6, and 24 greys. */
const COLOURS: readonly Rgb[] = [
  ...OWN,
  ...LEVELS.flatMap((red) => LEVELS.flatMap((green) => LEVELS.map((blue): Rgb => [red, green, blue]))),
  ...Array.from({ length: 24 }, (_, n): Rgb => [8 + n * 10, 8 + n * 10, 8 + n * 10]),
];

const hex = (colour: Rgb) => `#${colour.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`;

/** Computes relative luminance as defined in WCAG 2.2. */
const luminance = ([red, green, blue]: Rgb) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
const linear = (value: number) => (value <= 10 ? value / 3_294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4);
function contrast(one: Rgb, other: Rgb): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function readable(colour: Rgb): Rgb {
  let [red, green, blue] = colour;
  while (contrast([red, green, blue], GROUND) < 4.6)
    [red, green, blue] = [red + (255 - red) / 16, green + (255 - green) / 16, blue + (255 - blue) / 16];
  return [red, green, blue];
}

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];

const fore = COLOURS.map((colour, n) => `.f${n}{color:${hex(readable(colour))}}`);
/** CSS classes for background colours, which also set a readable text colour. */
const back = COLOURS.map(
  (colour, n) =>
    `.b${n}{background:${hex(colour)};color:${contrast(colour, BLACK) > contrast(colour, WHITE) ? '#000' : '#fff'}}`,
);

export const LOG_STYLE = `header,main{max-width:74rem}
main{padding-top:3vh}
.bar{position:sticky;top:0;z-index:1;display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;padding:.6rem 0;background:var(--ground);border-bottom:1px solid var(--line)}
.bar p{margin:0}
#state{flex:1 1 16rem;font-weight:600}
#link{font-weight:400}
#link:empty{display:none}
.controls{display:flex;gap:.6rem;align-items:start}
.controls form{margin:0}
.controls button,summary{padding:.35rem .8rem;font:600 .9rem/1.35 system-ui,sans-serif}
#follow{min-width:5.5rem}
summary{list-style:none;color:var(--accent);border:1px solid var(--accent);border-radius:.4rem;cursor:pointer}
summary::-webkit-details-marker{display:none}
details form{position:absolute;right:0;top:100%;width:min(20rem,100%);padding:1rem;background:var(--card);border:1px solid var(--line);border-radius:.6rem;box-shadow:0 .5rem 1.5rem #0004}
.steps{list-style:none;display:flex;flex-wrap:wrap;gap:.5rem;margin:1rem 0 .75rem;padding:0}
.steps li{padding:.3rem .7rem;background:var(--card);border:1px solid var(--line);border-radius:2rem;font-size:.9rem}
.steps time{color:var(--soft);font-variant-numeric:tabular-nums}
.said{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.glyph::before{content:"○";color:var(--soft);font-weight:600}
.glyph.running::before,.glyph.stopping::before{content:"◐";color:var(--accent)}
.glyph.succeeded::before{content:"✓";color:var(--good)}
.glyph.failed::before{content:"✕";color:var(--bad)}
.glyph.stopped::before,.glyph.skipped::before{content:"–"}
:root{--good:#1f7a3a;--bad:#b3261e}
@media(prefers-color-scheme:dark){:root{--good:#7fd48f;--bad:#ff9d94}}
.log{list-style:none;margin:1rem 0 0;padding:.75rem 0;overflow:hidden;color:#d8d4ca;background:${hex(GROUND)};border:1px solid var(--line);border-radius:.6rem;font:.85rem/1.55 ui-monospace,"Cascadia Mono",Menlo,Consolas,monospace}
.log:empty::before{content:"Nothing was said yet";padding:0 1rem;color:#8f8b82}
.log li{display:grid;grid-template-columns:4.8em minmax(0,1fr);padding-right:1rem;scroll-margin:6rem}
.log li.step{display:block;padding:.5rem 1rem .25rem;color:#f0a36b;font-weight:600}
.log a{padding-right:1.1em;text-align:right;color:#8f8b82;text-decoration:none;user-select:none}
.log a:hover{color:#fff}
.log .entry{grid-template-columns:auto 4.6em minmax(0,1fr);gap:0 1.1em;padding:0 1rem}
.log time,.log .more{color:#8f8b82}
.log .entry a{padding:0;color:inherit;text-decoration:underline;user-select:auto}
.filters{grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));align-items:end;margin:1rem 0}
.filters select{font:inherit;padding:.6rem .7rem;min-height:2.82rem;color:var(--text);background:var(--card);border:1px solid var(--soft);border-radius:.4rem;width:100%}
.log a:focus-visible{outline-color:#f0a36b;outline-offset:-3px}
.log code{font:inherit;white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:isolate;tab-size:4;min-height:1.55em}
.log .err{box-shadow:inset 3px 0 #e05c54}
.log li:target,.log .chosen{background:#3a2f1c}
.sb{font-weight:700}
.sd{opacity:.75}
.si{font-style:italic}
.su{text-decoration:underline}
.ss{text-decoration:line-through}
.su.ss{text-decoration:underline line-through}
.sv{color:${hex(GROUND)};background:#d8d4ca}
@media(max-width:40rem){.log .entry{grid-template-columns:auto minmax(0,1fr)}.log .entry code{grid-column:1/-1;padding-bottom:.35rem}.log .entry .tag{justify-self:end}.log li{grid-template-columns:minmax(3.1em,max-content) minmax(0,1fr);padding-right:.6rem}.log a{padding-right:.7em}.log{font-size:.78rem}main,header{padding-left:.8rem;padding-right:.8rem}}
${fore.join('\n')}
${back.join('\n')}
`;
