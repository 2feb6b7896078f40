import vm from 'node:vm';

// Jest reads itself, the packages and us anew for each file of tests. What V8 has made of a text is kept as long as this
// worker lives, so that only the first file of a worker waits for it: that was a ninth of the work of unit tests.

/** Shorter texts are compiled faster than they are looked up. */
const WORTH_KEEPING = 1_000;

const functions = new Map();
const modules = new Map();

const { compileFunction, SourceTextModule } = vm;

vm.compileFunction = (code, parameters, options) => {
  if (code.length < WORTH_KEEPING) return compileFunction(code, parameters, options);
  const cachedData = functions.get(code);
  const compiled = compileFunction(code, parameters, { ...options, cachedData, produceCachedData: !cachedData });
  if (compiled.cachedData) functions.set(code, compiled.cachedData);
  return compiled;
};

vm.SourceTextModule = class extends SourceTextModule {
  constructor(code, options) {
    const cachedData = modules.get(code);
    super(code, { ...options, cachedData });
    if (!cachedData && code.length >= WORTH_KEEPING) modules.set(code, this.createCachedData());
  }
};
