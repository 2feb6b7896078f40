import { PALETTE } from './palette.js';

export const PAGE_STYLE = `${PALETTE}*{box-sizing:border-box}
body{margin:0;font:1rem/1.55 system-ui,sans-serif;color:var(--text);background:var(--ground)}
header,main{max-width:34rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:1.5rem}
header a{font:600 1rem/1 Georgia,serif;letter-spacing:.04em;color:var(--text);text-decoration:none}
main{padding-top:12vh;padding-bottom:4rem}
h1{font:600 1.7rem/1.2 Georgia,serif;margin:0 0 1rem}
h2{font-size:1rem;margin:0}
p{margin:0 0 1rem;overflow-wrap:anywhere}
a{color:var(--accent)}
form{display:grid;gap:.75rem;margin:1.5rem 0}
form p{margin:0}
[hidden]{display:none!important}
label{display:grid;gap:.3rem;font-size:.9rem;color:var(--soft)}
input{font:inherit;padding:.6rem .7rem;color:var(--text);background:var(--card);border:1px solid var(--soft);border-radius:.4rem;width:100%}
fieldset{display:grid;gap:.6rem;margin:0;padding:.8rem 1rem;background:var(--card);border:1px solid var(--line);border-radius:.6rem}
legend{padding:0 .3rem;color:var(--soft);font-size:.9rem}
.pick{display:flex;gap:.6rem;align-items:baseline;font-size:1rem;color:var(--text);overflow-wrap:anywhere}
.pick input{flex:none;width:auto;accent-color:var(--accent)}
.pick.inner{margin-left:1.6rem}
button{font:600 1rem/1.25 system-ui,sans-serif;max-width:100%;padding:.68rem 1.1rem;color:var(--on-accent);background:var(--accent);border:1px solid var(--accent);border-radius:.4rem;cursor:pointer;justify-self:start}
button.quiet{color:var(--accent);background:none}
button.link{padding:0;font:inherit;color:var(--accent);background:none;border:0;text-decoration:underline}
.choices{display:flex;flex-wrap:wrap;gap:.75rem}
.choices button{flex:1 1 9rem}
.soft{color:var(--soft);font-size:.9rem}
.facts{margin:0 0 1.25rem;padding:.35rem 1rem;background:var(--card);border:1px solid var(--line);border-radius:.6rem}
.facts div{display:grid;grid-template-columns:5.5rem minmax(0,1fr);gap:.1rem .75rem;padding:.6rem 0}
.facts div+div{border-top:1px solid var(--line)}
.facts dt{color:var(--soft);font-size:.9rem;line-height:1.7}
.facts dd{margin:0;overflow-wrap:anywhere}
.facts ul{margin:0;padding-left:1.1rem}
.facts .soft{display:block;line-height:1.5}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
code,pre{font:.9rem/1.5 ui-monospace,monospace}
pre{white-space:pre-wrap;overflow-wrap:anywhere}
.code{font:600 1.6rem/1.2 ui-monospace,monospace;letter-spacing:.12em}
.sites{list-style:none;margin:0;padding:0}
.sites li{display:flex;flex-wrap:wrap;gap:.25rem .75rem;align-items:baseline;padding:.7rem 0;border-top:1px solid var(--line)}
.sites a{flex:1 1 12rem;overflow-wrap:anywhere}
.sites span,.sites time{color:var(--soft);font-size:.9rem}
.paste{margin:0 0 1rem;padding:.8rem 1rem;background:var(--card);border:1px solid var(--line);border-radius:.6rem;user-select:all}
article{padding:1rem 0;border-top:1px solid var(--line);overflow-wrap:anywhere}
article ul{margin:0 0 1rem;padding-left:1.1rem}
.status section{margin:2rem 0}
.status h2{margin:0 0 .75rem}
.status h3{font-size:1rem;margin:0 0 .25rem}
.status h4{font-size:.95rem;margin:0 0 .5rem}
.status p{margin:0 0 .5rem}
.notice{padding:.75rem 1rem;background:var(--card);border:1px solid var(--accent);border-radius:.6rem}
.state{display:flex;flex-wrap:wrap;gap:.1rem .6rem;align-items:baseline}
.mark{font-weight:600}
.mark::before{content:"";display:inline-block;width:.65rem;height:.65rem;margin-right:.4rem;border:2px solid;border-radius:50%}
.mark.well{color:var(--well)}
.mark.well::before{background:var(--well)}
.mark.failing{color:var(--failing)}
.mark.failing::before{border-radius:0;background:var(--failing)}
.mark.unknown{color:var(--soft)}
.days{display:block;width:100%;height:2.25rem}
.days .well{fill:var(--well)}
.days .failing{fill:var(--failing)}
.days .unknown{fill:none;stroke:var(--soft);stroke-width:1;vector-effect:non-scaling-stroke}
.scale{display:flex;justify-content:space-between;gap:1rem}
summary{cursor:pointer}
details ul{margin:.5rem 0;padding-left:1.25rem}
.update{padding:.5rem 0;overflow-wrap:anywhere}
`;
