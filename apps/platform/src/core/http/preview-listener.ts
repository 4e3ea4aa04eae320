import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Config } from '../config.ts'
import { StartupError } from '../startup-error.ts'
import { firstPreviewPort } from './preview-address.ts'

/** A second listener that shares nothing with the first: it serves another origin. */
export interface PreviewListener {
  server: Server
  /**
   * `http://*.localhost:3001`, where `*` is replaced by a name per version, or one origin for all.
   */
  pattern: string
  /** Only this machine can reach it. */
  isLoopback: boolean
  close: () => Promise<void>
}

/**
 * Listens for previews; undefined if they are off: beyond this machine they need their own domain.
 * Each version gets a name below `localhost`, which browsers resolve themselves and isolate from the
 * console, so an app that hangs does not hang the console.
 */
export async function openPreviewListener(config: Config): Promise<PreviewListener | undefined> {
  const { url, port } = config.preview
  if (url === undefined && !config.isLocal) return undefined
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 })
  server.timeout = 60_000
  server.maxConnections = 512
  await listen(server, config, port ?? firstPreviewPort(config.port), port === undefined)
  const { port: used } = server.address() as AddressInfo
  const pattern = url ?? `http://*.localhost:${used}`
  return {
    server,
    pattern,
    isLoopback: /\/\/(\*\.)?(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(pattern),
    close: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      return closed
    },
  }
}

async function listen(
  server: Server,
  config: Config,
  port: number,
  mayTakeAnother: boolean,
): Promise<void> {
  const { host } = config
  const error = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    server.once('error', resolve)
    server.listen({ host, port }, () => resolve(undefined))
  })
  server.removeAllListeners('error')
  if (error === undefined) return
  if (mayTakeAnother && port !== 0 && error.code === 'EADDRINUSE')
    return listen(server, config, 0, false)
  throw new StartupError(
    `Previews cannot listen on ${host}:${port} (${error.code ?? error.message}). Set GROVE_PREVIEW_PORT to a free port.`,
    { cause: error },
  )
}
