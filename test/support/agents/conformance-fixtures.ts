import { registerHooks } from 'node:module';

// Given to a service by `node --import`: what the suite of the protocol expects of any server stands beside our own
// tools, resources and prompts. Nothing of it is in the product.
registerHooks({
  resolve(specifier, context, next) {
    if (!specifier.endsWith('/agent-server.js') || context.parentURL?.includes('/test/'))
      return next(specifier, context);
    return { url: new URL('./conformance-server.ts', import.meta.url).href, shortCircuit: true };
  },
});
