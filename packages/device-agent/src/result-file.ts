import { readFileSync } from 'node:fs'
import type { CommandResult, ResultMemory } from './command-station.ts'
import { replaceFile } from './durable-file.ts'

/**
 * Results in a file that is replaced atomically, so a power cut leaves the old one or the new one.
 */
export const resultFile = (file: string): ResultMemory => ({
  read() {
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as CommandResult[]
    } catch (error) {
      if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT')
        return []
      throw error
    }
  },
  keep: (results) => replaceFile(file, JSON.stringify(results)),
})
