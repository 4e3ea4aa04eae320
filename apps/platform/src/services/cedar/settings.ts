import type { Config } from '../../core/config.ts'
import { readInteger, readText, type Environment } from '../../core/environment.ts'
import { StartupError } from '../../core/startup-error.ts'
import { readPushSettings, type PushSettings } from './push-transport/push-settings.ts'

export interface CedarSettings {
  /** Maximum size of one provider's files: packages, screenshots and icons. */
  providerBytes: number
  /**
   * How many providers a developer may create and own besides the personal one; 0: only
   * administrators create them.
   */
  providersOfDeveloper: number
  /** Links that one network may open per minute, in each process; 0: no limit. */
  linkOpensPerMinute: number
  /** The URL that opens an app in a host app, with placeholders `{linkId}`, `{url}`… */
  appLink: string | undefined
  /** Where people install that host app. */
  appInstall: string | undefined
  /** The transport of notifications; null if none is configured. */
  push: PushSettings | null
}

const megabyte = 1024 * 1024

/** @throws StartupError naming the variable, its value and the allowed values. */
export const readSettings = (
  env: Environment,
  { isProduction }: Pick<Config, 'isProduction'>,
): CedarSettings => ({
  // Megabytes of files per provider.
  providerBytes:
    readInteger(env, 'GROVE_PROVIDER_MB', { least: 1, most: 1_000_000, fallback: 2048 }) * megabyte,
  // Providers that a developer may create and own; 0 leaves it to administrators.
  providersOfDeveloper: readInteger(env, 'GROVE_SELF_SERVICE_PROVIDERS', {
    least: 0,
    most: 1000,
    fallback: isProduction ? 0 : 3,
  }),
  // Opens of links from one network per minute, in each process; 0 removes the limit.
  linkOpensPerMinute: readInteger(env, 'GROVE_LINK_OPENS_PER_MINUTE', {
    least: 0,
    most: 1_000_000,
    fallback: 3000,
  }),
  appLink: readAppLink(env),
  appInstall: readAppInstall(env),
  push: readPushSettings(env),
})

function readAppLink(env: Environment): string | undefined {
  // Opens an app in a host app, from its public page: harbour://open/{linkId}. The placeholders are
  // {linkId}, {productId}, {version}, {target} and {url}, the page's own URL.
  const link = readText(env, 'GROVE_APP_LINK')
  if (link === undefined) return undefined
  const isKnown = /^(?!javascript|data|vbscript|blob|file)[a-z][a-z\d+.-]*:/i.test(link)
  if (!isKnown || !/\{(linkId|url)\}/.test(link) || /[\s"'<>]/.test(link))
    throw new StartupError(
      'GROVE_APP_LINK must be an address that a host app opens, with {linkId} or {url} in it, such as harbour://open/{linkId}.',
    )
  return link
}

function readAppInstall(env: Environment): string | undefined {
  // Where people install the host app, from the public pages: https://harbour.example.com/get.
  const url = readText(env, 'GROVE_APP_INSTALL')
  if (url !== undefined && !(URL.canParse(url) && new URL(url).protocol === 'https:'))
    throw new StartupError(
      'GROVE_APP_INSTALL must be an https address where people install the host app, such as https://harbour.example.com/get.',
    )
  return url
}
