import { registerHooks } from 'node:module';

// Loaded into a service with `node --import`. Adds the tools, resources and prompts that the protocol's conformance
// suite expects of any server.
registerHooks({
  resolve(specifier, context, next) {
    if (!specifier.endsWith('/agent-server.js') || context.parentURL?.includes('/test/'))
      return next(specifier, context);
    return { url: new URL('./conformance-server.ts', import.meta.url).href, shortCircuit: true };
  },
});
