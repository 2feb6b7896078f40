import { PALETTE } from '../../../edge/http/pages/palette.js';

/** Renders a page of the service that is shown instead of a page of the site. Has no script and loads nothing. */
export const plainPage = (status: number, title: string, text: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
  `<meta name="color-scheme" content="light dark"><title>${title}</title><style>${STYLE}</style></head>` +
  `<body><main><p class="status">${status}</p><h1>${title}</h1><p>${text}</p></main></body></html>\n`;

const STYLE =
  PALETTE +
  `body{font:1rem/1.55 system-ui,sans-serif;margin:0;color:var(--text);background:var(--ground)}` +
  `main{max-width:34rem;margin:18vh auto 2rem;padding:0 1.25rem}h1{font:600 1.6rem/1.25 Georgia,serif;margin:0 0 .5rem}p{margin:0;overflow-wrap:anywhere}` +
  `a{color:var(--accent)}.status{color:var(--soft);font-size:.95rem;margin-bottom:.25rem}`;
