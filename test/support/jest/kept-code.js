import vm from 'node:vm';

// Keeps the code that V8 has compiled as long as the worker runs. Jest loads itself, the packages and our code again
// for each test file, and compiling them each time was a ninth of the work of unit tests.

/** Minimum length of a text to cache. Compiling a shorter text is faster than looking it up. */
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
