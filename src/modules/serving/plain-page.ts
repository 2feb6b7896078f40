/** A page of our own in a site's place: when there is nothing to show, or something went wrong. */
export const plainPage = (title: string, text: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>` +
  `<style>body{font:16px/1.5 system-ui,sans-serif;margin:20vh auto;max-width:32rem;padding:0 1rem;color:#222;background:#fff}` +
  `@media(prefers-color-scheme:dark){body{color:#ddd;background:#151515}}h1{font-size:1.4rem}</style><h1>${title}</h1><p>${text}</p></html>\n`;
