import { readInteger, type Environment } from '../../core/environment.ts'

export interface CedarSettings {
  /** The most that the files of one provider may take: packages, screenshots and icons. */
  providerBytes: number
}

const megabyte = 1024 * 1024

/** @throws StartupError naming the variable, its value and what it may be. */
export const readSettings = (env: Environment): CedarSettings => ({
  // Megabytes of files that one provider may keep.
  providerBytes:
    readInteger(env, 'GROVE_PROVIDER_MB', { least: 1, most: 1_000_000, fallback: 2048 }) * megabyte,
})
