import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Replaces a file as a whole, for its owner alone: after a power cut there is the old one or the new
 * one, and after the return it is the new one.
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

/** Empty where there is no such file. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

/** A name is in its folder for good only when the folder is written. */
function syncFolder(folder: string): void {
  // Windows opens no folders.
  if (process.platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
