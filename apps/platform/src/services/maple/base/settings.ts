import type { Config } from '../../../core/config.ts'
import { readHsmSettings, type HsmSettings } from '../../../core/hsm/hsm-settings.ts'
import { readEgressSettings, type EgressSettings } from '../../../core/egress/egress-settings.ts'
import { readVaultKeySource, type VaultKeySource } from '../../../core/vault/vault-keys.ts'
import { readInteger, readUrl, type Environment } from '../../../core/environment.ts'

export interface MapleSettings {
  /** Maximum size of a device file. */
  importBytes: number
  /** Where the vault keys are. */
  vaultKeys: VaultKeySource
  /** The HSM for elements' keys; null if none is configured. */
  hsm: HsmSettings | null
  /** The URL of Cedar, which knows the members of providers; used only if it runs elsewhere. */
  cedarUrl: string | undefined
  /** Non-public addresses that developers' programs may call. */
  egress: EgressSettings
  /** Idle timeout of sessions. */
  sessionIdleMs: number
  /** Time limit of a card's command. */
  cardReplyMs: number
  /** Retention of session logs, in days. */
  sessionDays: number
  /** Retention of telemetry, in days. */
  telemetryDays: number
  /** Retention of hourly telemetry for charts, in days. */
  telemetryHourDays: number
  /** The broker that devices may connect to. */
  brokerUrl: string | undefined
}

const megabyte = 1024 * 1024

/**
 * Seconds that a card in a reader or a device may take for a command; generating keys takes longest.
 */
export const readCardReplyMs = (env: Environment): number =>
  readInteger(env, 'GROVE_CARD_SECONDS', { least: 1, most: 600, fallback: 10 }) * 1000

/** @throws StartupError naming the variable, its value and the allowed values. */
export const readSettings = (
  env: Environment,
  { dataFolder }: Pick<Config, 'dataFolder'>,
): MapleSettings => ({
  // Megabytes of one file of devices; ten million rows are about two thousand.
  importBytes:
    readInteger(env, 'GROVE_IMPORT_MB', { least: 1, most: 100_000, fallback: 4096 }) * megabyte,
  vaultKeys: readVaultKeySource(env, dataFolder),
  hsm: readHsmSettings(env),
  // The URL of Cedar if it runs elsewhere, such as https://cedar.internal.
  cedarUrl: readUrl(env, 'CEDAR_URL'),
  egress: readEgressSettings(env),
  // Minutes after which an idle session with a secure element ends.
  sessionIdleMs:
    readInteger(env, 'GROVE_SESSION_IDLE_MINUTES', { least: 1, most: 1440, fallback: 15 }) * 60_000,
  cardReplyMs: readCardReplyMs(env),
  // Days that a session's log is kept; at most ten years.
  sessionDays: readInteger(env, 'GROVE_SESSION_DAYS', { least: 1, most: 3650, fallback: 90 }),
  // Days that telemetry is kept; at most ten years.
  telemetryDays: readInteger(env, 'GROVE_TELEMETRY_DAYS', { least: 2, most: 3650, fallback: 90 }),
  // Days that hourly telemetry is kept, for charts of long ranges; at most twenty years.
  telemetryHourDays: readInteger(env, 'GROVE_TELEMETRY_HOUR_DAYS', {
    least: 2,
    most: 7300,
    fallback: 730,
  }),
  // The broker with the account of Grove there: mqtts://grove:password@broker.example.com:8883.
  brokerUrl: readUrl(env, 'MQTT_URL', ['mqtt:', 'mqtts:']),
})
