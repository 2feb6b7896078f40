import './kept-code.js';
import { relative } from 'node:path';
import { reasonToLeaveOut } from '../fleet/fleet-exclusions.js';
import MeasuredEnvironment from './measured-environment.js';

/** A fleet starts seven processes instead of one, so timeouts are multiplied by this factor. */
const TIMES_AS_LONG = 3;

/**
 * Jest's environment for tests against a fleet. It skips the tests that `fleet-exclusions.js` lists, and multiplies
 * timeouts.
 */
export default class FleetEnvironment extends MeasuredEnvironment {
  #file;

  constructor(config, context) {
    super(config, context);
    this.#file = relative(config.projectConfig.rootDir, context.testPath);
  }

  handleTestEvent(event, state) {
    if (event.name === 'run_start') this.#prepare(state.rootDescribeBlock, state.testTimeout);
  }

  #prepare(block, usual) {
    for (const hook of block.hooks) hook.timeout = (hook.timeout ?? usual) * TIMES_AS_LONG;
    for (const child of block.children) {
      if (child.type === 'describeBlock') this.#prepare(child, usual);
      else {
        child.timeout = (child.timeout ?? usual) * TIMES_AS_LONG;
        if (reasonToLeaveOut(this.#file, nameOf(child))) child.mode = 'skip';
      }
    }
  }
}

function nameOf(test) {
  const names = [];
  for (let at = test; at && at.name !== 'ROOT_DESCRIBE_BLOCK'; at = at.parent) names.unshift(at.name);
  return names.join(' › ');
}
