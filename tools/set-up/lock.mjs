import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { inRoot } from './places.mjs';

const lock = inRoot('.stele', 'set-up.lock');
const breaking = inRoot('.stele', 'set-up.breaking');
const touchEveryMs = 2_000;
const staleAfterMs = 20_000;

/**
 * Runs `work` while no other set-up of this checkout runs. The lock is a folder with its owner’s name that is renamed
 * into place, which only one process can do. The owner touches the lock regularly, so that a lock left behind by a
 * kill or a power cut is recognised as stale.
 */
export async function locked(work) {
  mkdirSync(inRoot('.stele'), { recursive: true });
  let hasWarned = false;
  while (!take()) {
    if (isStale(lock)) {
      breakStale();
      continue;
    }
    if (!hasWarned)
      console.error(`Waiting for another set-up of this checkout (process ${owner(lock).pid ?? 'unknown'}).`);
    hasWarned = true;
    await delay(200);
  }
  const beating = setInterval(touch, touchEveryMs);
  try {
    return await work();
  } finally {
    clearInterval(beating);
    rmSync(lock, { recursive: true, force: true });
  }
}

function take() {
  const mine = mkdtempSync(`${lock}-`);
  writeFileSync(join(mine, 'owner'), JSON.stringify({ pid: process.pid, host: hostname() }));
  try {
    renameSync(mine, lock);
    return true;
  } catch (error) {
    rmSync(mine, { recursive: true, force: true });
    if (['ENOTEMPTY', 'EEXIST'].includes(error.code)) return false;
    throw error;
  }
}

/** Removes a stale lock. Only one process may do this at a time, because a second process could remove the new lock. */
function breakStale() {
  try {
    mkdirSync(breaking);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (age(breaking) > staleAfterMs) rmSync(breaking, { recursive: true, force: true });
    return;
  }
  if (isStale(lock)) rmSync(lock, { recursive: true, force: true });
  rmSync(breaking, { recursive: true, force: true });
}

function isStale(folder) {
  const { pid, host } = owner(folder);
  if (age(folder) > staleAfterMs) return true;
  return host === hostname() && !isAlive(pid);
}

function owner(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, 'owner'), 'utf8'));
  } catch {
    return {};
  }
}

/** Returns the milliseconds since a folder was last touched, or 0 if it has just disappeared. */
function age(folder) {
  try {
    return Date.now() - statSync(folder).mtimeMs;
  } catch {
    return 0;
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function touch() {
  try {
    const now = new Date();
    utimesSync(lock, now, now);
  } catch {
    // Another process considered this lock stale, for example after the machine slept. npm survives two overlapping
    // installs.
  }
}
