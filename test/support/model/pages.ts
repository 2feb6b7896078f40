export const goodPage = (title = 'A quiet page', body = '<main><h1>Hello</h1><p>Well.</p></main>', head = '') =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>${head}
<style>body { font: 1rem/1.5 system-ui; }</style>
</head>
<body>
${body}
</body>
</html>
`;

export const testTemplate = {
  'template.json': JSON.stringify({
    title: 'Links for tests',
    description: 'A list of links.',
    parameters: {
      type: 'object',
      required: ['title'],
      additionalProperties: false,
      properties: {
        title: { type: 'string', minLength: 1, maxLength: 100 },
        intro: { type: 'string', maxLength: 2_000 },
        links: {
          type: 'array',
          maxItems: 20,
          items: {
            type: 'object',
            required: ['label', 'url'],
            additionalProperties: false,
            properties: { label: { type: 'string', maxLength: 100 }, url: { type: 'string', maxLength: 2_000 } },
          },
        },
      },
    },
    example: { title: 'An example', links: [{ label: 'One', url: 'https://example.com/' }] },
  }),
  'page.html': `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{{title}}</title><style>body { margin: 1rem; }</style></head>
<body><h1>{{title}}</h1><p data-if="intro">{{intro}}</p><ul><li data-each="link of links"><a href="{{link.url}}">{{link.label}}</a></li></ul></body>
</html>
`,
};
