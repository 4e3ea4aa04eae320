import type { Page } from '@playwright/test'
import { once } from 'node:events'
import { createServer as createHttpServer, request } from 'node:http'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** Limits the page's upload rate in bytes per second; undefined: no limit. */
export async function limitUploads(page: Page, bytesPerSecond?: number) {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: bytesPerSecond ?? -1,
  })
}

/** A separate network to the platform, which can be cut during a transfer. */
export async function startRelay(platform: string) {
  const { hostname, port } = new URL(platform)
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((near) => {
    if (isCut) return near.destroy()
    const far = connect(Number(port), hostname)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => sockets.delete(socket))
      socket.pipe(other)
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    restore: () => {
      isCut = false
    },
    close: () => {
      cut()
      server.close()
    },
  }
}

/**
 * A proxy that receives an entire upload and withholds its last bytes until the sender leaves: the
 * upload is then complete when it is cancelled, but its check cannot finish earlier.
 */
export async function startHoldingLine(platform: string, path: string) {
  const server = createHttpServer((near, answer) => {
    const { method, headers, url = '/' } = near
    const far = request(new URL(url, platform), { method, headers })
    far.on('error', () => answer.destroy())
    far.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answer)
    })
    if (url !== path) {
      answer.on('close', () => far.destroy())
      near.pipe(far)
      return
    }
    const parts: Buffer[] = []
    near.on('data', (part: Buffer) => parts.push(part))
    near.on('end', () => {
      const whole = Buffer.concat(parts)
      far.write(whole.subarray(0, -8))
      answer.on('close', () => far.end(whole.subarray(-8), () => far.destroy()))
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Opens pages without the authentication service's keys: the browser has to fetch them. */
export const dropKeysInPage = (page: Page) =>
  page.route(
    (url) => !/\.\w+$|^\/api\//.test(url.pathname),
    async (route) => {
      if (route.request().resourceType() !== 'document') return route.fallback()
      const response = await route.fetch()
      const body = (await response.text()).replace(/,"auth_jwks":\{"keys":\[[^\]]*\]\}/, '')
      await route.fulfill({ response, body })
    },
  )
