import { appendFileSync } from 'node:fs'
import { readText, replaceFile } from './durable-file.ts'

const lineOf = (id: string, version: string) => `${id} ${version}\n`

/**
 * The firmware version of each device of a fleet, one line per change: a killed process loses
 * nothing. A torn line is ignored.
 */
export function openFirmwareFile(file: string) {
  const text = readText(file)
  const known = new Map<string, string>()
  for (const line of text.split('\n').slice(0, -1)) {
    const [id = '', version = ''] = line.split(' ')
    known.set(id, version)
  }
  const whole = [...known].map(([id, version]) => lineOf(id, version)).join('')
  if (whole !== text) replaceFile(file, whole)
  return {
    of: (id: string): string | undefined => known.get(id),
    keep(id: string, version: string): void {
      known.set(id, version)
      appendFileSync(file, lineOf(id, version), { mode: 0o600 })
    },
  }
}
