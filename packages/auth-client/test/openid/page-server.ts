import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Serves one page at every path, like a server for a single-page application, and a small API. */
export async function startPageServer() {
  const page = { script: '', settings: {} as Record<string, unknown> }
  /** The `Authorization` headers of calls to `/api/`. */
  const authorizations: (string | undefined)[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    if (path === '/page.js') {
      response.setHeader('content-type', 'text/javascript')
      return response.end(page.script)
    }
    if (path.startsWith('/api/')) {
      authorizations.push(request.headers.authorization)
      return response.end('{}')
    }
    response.setHeader('content-type', 'text/html; charset=utf-8')
    const settings = JSON.stringify(page.settings)
    response.end(
      `<!doctype html><div id="root"></div><script>settings = ${settings}</script><script src="/page.js"></script>`,
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url, page, authorizations, close }
}
