import { readInteger, readText, type Environment } from '../environment.ts'
import { StartupError } from '../startup-error.ts'

export interface PreviewSettings {
  /**
   * `https://*.preview.example`, where `*` is replaced by a name per version, or one origin for all.
   */
  url: string | undefined
  /** Where the second listener listens; undefined: any. */
  port: number | undefined
}

const defaultPort = 3001

/** @throws StartupError naming the variable. */
export function readPreviewSettings(
  env: Environment,
  publicUrl: string | undefined,
  isProduction: boolean,
): PreviewSettings {
  // Where people reach previews. Needs a separate registrable domain: https://*.grove-preview.example
  const url = readText(env, 'GROVE_PREVIEW_URL')
  // The port of previews on this machine; 0 takes any free one.
  const given = readText(env, 'GROVE_PREVIEW_PORT')
  const port = readInteger(env, 'GROVE_PREVIEW_PORT', {
    least: 0,
    most: 65535,
    fallback: defaultPort,
  })
  if (url === undefined) return { url, port: given === undefined ? undefined : port }
  const origin = checkedOrigin(url)
  if (isProduction && publicUrl !== undefined && isNear(origin, publicUrl))
    throw new StartupError(
      'GROVE_PREVIEW_URL is on the console’s own domain, and previews run the code of others. Set it to a domain of its own, such as https://*.grove-preview.example.',
    )
  return { url: origin, port }
}

/** The port that a local start tries first; if it is taken, any free one. */
export const firstPreviewPort = (mainPort: number): number => (mainPort === 3000 ? defaultPort : 0)

function checkedOrigin(url: string): string {
  const concrete = url.replace('://*.', '://x.')
  const parsed = URL.canParse(concrete) ? new URL(concrete) : undefined
  if (
    !parsed ||
    !/^https?:$/.test(parsed.protocol) ||
    parsed.origin !== concrete ||
    concrete.includes('*')
  )
    throw new StartupError(
      'GROVE_PREVIEW_URL must be an origin without a path, such as https://*.grove-preview.example.',
    )
  return url
}

function isNear(pattern: string, publicUrl: string): boolean {
  const own = new URL(publicUrl).hostname
  const preview = new URL(pattern.replace('://*.', '://')).hostname
  return own === preview || own.endsWith(`.${preview}`) || preview.endsWith(`.${own}`)
}

/** The origin of one preview: with its own name, if each version has one. */
export const previewOrigin = (pattern: string, name: string): string =>
  pattern.replace('*', () => name)

/** The `Host` header for an origin. */
export const hostOf = (origin: string): string => new URL(origin).host
