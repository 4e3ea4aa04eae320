import type { Config } from '../../../core/config.ts'
import { readHsmSettings, type HsmSettings } from '../../../core/hsm/hsm-settings.ts'
import { readEgressSettings, type EgressSettings } from '../../../core/egress/egress-settings.ts'
import { readVaultKeySource, type VaultKeySource } from '../../../core/vault/vault-keys.ts'
import { readInteger, readUrl, type Environment } from '../../../core/environment.ts'

export interface MapleSettings {
  /** The most that a file of devices may have. */
  importBytes: number
  /** Where the keys are that seal the keys of elements. */
  vaultKeys: VaultKeySource
  /** The HSM that keeps keys of elements; null where none is set. */
  hsm: HsmSettings | null
  /** Where Cedar is, which says who works for which provider; asked only when it runs apart. */
  cedarUrl: string | undefined
  /** Where programs of developers may call besides the public internet. */
  egress: EgressSettings
  /** A session that nobody uses for so long ends. */
  sessionIdleMs: number
  /** How long the logs of sessions are kept, in days. */
  sessionDays: number
  /** How long what devices measure is kept, in days. */
  telemetryDays: number
  /** How long its hours are kept for charts, in days. */
  telemetryHourDays: number
  /** The broker that devices may connect to. */
  brokerUrl: string | undefined
}

const megabyte = 1024 * 1024

/** @throws StartupError naming the variable, its value and what it may be. */
export const readSettings = (
  env: Environment,
  { dataFolder }: Pick<Config, 'dataFolder'>,
): MapleSettings => ({
  // Megabytes of one file of devices; ten million rows are about two thousand.
  importBytes:
    readInteger(env, 'GROVE_IMPORT_MB', { least: 1, most: 100_000, fallback: 4096 }) * megabyte,
  vaultKeys: readVaultKeySource(env, dataFolder),
  hsm: readHsmSettings(env),
  // The address of Cedar where it runs apart, such as https://cedar.internal.
  cedarUrl: readUrl(env, 'CEDAR_URL'),
  egress: readEgressSettings(env),
  // Minutes after which a session with a secure element ends when nobody uses it.
  sessionIdleMs:
    readInteger(env, 'GROVE_SESSION_IDLE_MINUTES', { least: 1, most: 1440, fallback: 15 }) * 60_000,
  // Days that the log of a session is kept; at most ten years.
  sessionDays: readInteger(env, 'GROVE_SESSION_DAYS', { least: 1, most: 3650, fallback: 90 }),
  // Days that what devices measure is kept; at most ten years.
  telemetryDays: readInteger(env, 'GROVE_TELEMETRY_DAYS', { least: 2, most: 3650, fallback: 90 }),
  // Days that the hours of it are kept, which charts of long ranges read; at most twenty years.
  telemetryHourDays: readInteger(env, 'GROVE_TELEMETRY_HOUR_DAYS', {
    least: 2,
    most: 7300,
    fallback: 730,
  }),
  // The broker with the account of Grove there: mqtts://grove:password@broker.example.com:8883.
  brokerUrl: readUrl(env, 'MQTT_URL', ['mqtt:', 'mqtts:']),
})
