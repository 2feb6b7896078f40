import { product } from '../service/product.ts';

const { McpServers: OwnServers } = await product('modules/mcp/mcp/mcp-servers.js');

type Notification = { method: string; params: object };
type Context = {
  mcpReq: {
    _meta?: { progressToken?: string | number };
    notify: (notification: Notification) => Promise<void>;
  };
};
type Params = { name: string; uri: string; arguments?: Record<string, string> };
type Handler = (request: { params: Params }, context: Context) => unknown;
type Content = { type: string };

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';

const text = (words: string) => ({ type: 'text', text: words });
const image = { type: 'image', data: PIXEL, mimeType: 'image/png' };
const resource = (uri: string | undefined, words: string) => ({
  type: 'resource',
  resource: { uri, mimeType: 'text/plain', text: words },
});

/** Tools that the suite's scenarios call, by name. */
const tools: Record<string, (context: Context) => object | Promise<object>> = {
  test_simple_text: () => ({ content: [text('This is a simple text response for testing.')] }),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: SILENCE, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({
    content: [resource('test://embedded-resource', 'This is an embedded resource content.')],
  }),
  test_multiple_content_types: () => ({
    content: [
      text('Multiple content types test:'),
      image,
      resource('test://mixed-content-resource', '{"test":"data","value":123}'),
    ],
  }),
  test_error_handling: () => ({
    isError: true,
    content: [text('This tool intentionally returns an error for testing')],
  }),
  test_tool_with_progress: async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100])
      if (progressToken !== undefined)
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
    return { content: [text('Progressed')] };
  },
};

const prompts: Record<string, (given: Record<string, string>) => Content[]> = {
  test_simple_prompt: () => [text('This is a simple prompt for testing.')],
  test_prompt_with_arguments: ({ arg1, arg2 }) => [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  test_prompt_with_embedded_resource: ({ resourceUri }) => [
    resource(resourceUri, 'Embedded resource content for testing.'),
    text('Please process the embedded resource above.'),
  ],
  test_prompt_with_image: () => [image, text('Please analyze the image above.')],
};

const promptArguments: Record<string, string[]> = {
  test_prompt_with_arguments: ['arg1', 'arg2'],
  test_prompt_with_embedded_resource: ['resourceUri'],
};

const resources: Record<string, { mimeType: string; text?: string; blob?: string }> = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: PIXEL },
};

function contentOf(uri: string) {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  const found = id
    ? { mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) }
    : resources[uri];
  return found && { contents: [{ uri, ...found }] };
}

/** Extends the product's request handlers with everything that the conformance suite requests. */
export class McpServers extends OwnServers {
  override async make(...given: Parameters<InstanceType<typeof OwnServers>['make']>) {
    const server = await super.make(...given);
    const handlers: Map<string, Handler> = Reflect.get(server, '_requestHandlers');
    const open: object = server;
    const setHandler: (method: string, handler: Handler) => void = Reflect.get(open, 'setRequestHandler');
    const handle = setHandler.bind(server);
    const before = (method: string, find: Handler) => {
      const ours = handlers.get(method);
      handle(method, async (request, context) => (await find(request, context)) ?? ours?.(request, context));
    };
    const beside = (method: string, key: string, more: readonly object[]) => {
      const ours = handlers.get(method);
      handle(method, async (request, context) => {
        const result = Object(await ours?.(request, context));
        return { ...result, [key]: [...result[key], ...more] };
      });
    };
    const inputSchema = { type: 'object', properties: {} };
    beside(
      'tools/list',
      'tools',
      Object.keys(tools).map((name) => ({ name, description: 'For the suite.', inputSchema })),
    );
    before('tools/call', ({ params }, context) => tools[params.name]?.(context));
    beside(
      'prompts/list',
      'prompts',
      Object.keys(prompts).map((name) => ({
        name,
        description: 'For the suite.',
        arguments: (promptArguments[name] ?? []).map((argument) => ({
          name: argument,
          description: 'A text.',
          required: true,
        })),
      })),
    );
    before('prompts/get', ({ params }) => {
      const written = prompts[params.name]?.(params.arguments ?? {});
      return written && { messages: written.map((content) => ({ role: 'user', content })) };
    });
    beside(
      'resources/list',
      'resources',
      Object.entries(resources).map(([uri, { mimeType }]) => ({ uri, name: uri, mimeType })),
    );
    beside('resources/templates/list', 'resourceTemplates', [
      { uriTemplate: 'test://template/{id}/data', name: 'template' },
    ]);
    before('resources/read', ({ params }) => contentOf(params.uri));
    return server;
  }
}
