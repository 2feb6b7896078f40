import { registerHooks } from 'node:module';

// Loaded with `node --import`. Adds what the protocol's conformance suite expects of every server.
registerHooks({
  resolve(specifier, context, next) {
    if (!specifier.endsWith('/mcp-servers.js') || context.parentURL?.includes('/test/'))
      return next(specifier, context);
    return { url: new URL('./conformance-server.ts', import.meta.url).href, shortCircuit: true };
  },
});
