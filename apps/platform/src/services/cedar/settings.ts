import { readInteger, readText, type Environment } from '../../core/environment.ts'
import { StartupError } from '../../core/startup-error.ts'
import { readPushSettings, type PushSettings } from './push-transport/push-settings.ts'

export interface CedarSettings {
  /** The most that the files of one provider may take: packages, screenshots and icons. */
  providerBytes: number
  /** How many links one network may open in a minute, in each process; 0 is any number. */
  linkOpensPerMinute: number
  /** The address that opens an app in a host app, with `{linkId}`, `{url}`… to be filled in. */
  appLink: string | undefined
  /** What notifications are sent through; null where nothing is set up. */
  push: PushSettings | null
}

const megabyte = 1024 * 1024

/** @throws StartupError naming the variable, its value and what it may be. */
export const readSettings = (env: Environment): CedarSettings => ({
  // Megabytes of files that one provider may keep.
  providerBytes:
    readInteger(env, 'GROVE_PROVIDER_MB', { least: 1, most: 1_000_000, fallback: 2048 }) * megabyte,
  // Opens of links from one network in a minute, at each process; 0 takes the limit away.
  linkOpensPerMinute: readInteger(env, 'GROVE_LINK_OPENS_PER_MINUTE', {
    least: 0,
    most: 1_000_000,
    fallback: 3000,
  }),
  appLink: readAppLink(env),
  push: readPushSettings(env),
})

function readAppLink(env: Environment): string | undefined {
  // Opens an app in a host app, from its public page: harbour://open/{linkId}. The names that may
  // stand in it are {linkId}, {productId}, {version}, {target} and {url}, the page's own address.
  const link = readText(env, 'GROVE_APP_LINK')
  if (link === undefined) return undefined
  const isKnown = /^(?!javascript|data|vbscript|blob|file)[a-z][a-z\d+.-]*:/i.test(link)
  if (!isKnown || !/\{(linkId|url)\}/.test(link) || /[\s"'<>]/.test(link))
    throw new StartupError(
      'GROVE_APP_LINK must be an address that a host app opens, with {linkId} or {url} in it, such as harbour://open/{linkId}.',
    )
  return link
}
