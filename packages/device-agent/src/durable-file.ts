import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Replaces a file atomically, readable only by its owner: a power cut leaves the old file or the new
 * one, and after the function returns it is the new one.
 */
export function replaceFile(file: string, text: string): void {
  const next = `${file}.next`
  const descriptor = openSync(next, 'w', 0o600)
  try {
    writeSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(next, file)
  syncFolder(dirname(file))
}

/** Empty if there is no such file. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

/** A file name is durable only after its folder is synced. */
function syncFolder(folder: string): void {
  // Windows cannot open folders.
  if (process.platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
