import { readFileSync, rmSync, writeFileSync } from 'node:fs'

interface Kept {
  platform: string
  key: string
}

/** The key that an earlier run saved for this platform. */
export function keptKey(file: string, platform: string): string | undefined {
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Partial<Kept>
    return kept.platform === platform ? kept.key : undefined
  } catch {
    return undefined
  }
}

export const keepKey = (file: string, kept: Kept): void =>
  writeFileSync(file, `${JSON.stringify(kept)}\n`, { mode: 0o600 })

export const forgetKey = (file: string): void => rmSync(file, { force: true })
