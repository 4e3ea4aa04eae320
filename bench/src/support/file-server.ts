// The baseline of a preview: a server of static files.
import { readFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'

const folder = process.env['FILE_FOLDER'] ?? ''
const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}

const server = createServer(
  (request, response) => void answer(new URL(request.url ?? '', 'http://localhost'), response),
)

async function answer({ pathname }: URL, response: ServerResponse): Promise<void> {
  const path = normalize(pathname)
  const body = await readFile(join(folder, path)).catch(() => undefined)
  if (!body) return void response.writeHead(404).end()
  response.writeHead(200, {
    'content-type': types[extname(path)] ?? 'application/octet-stream',
    'content-length': body.length,
  })
  response.end(body)
}

server.listen(0, '127.0.0.1', () =>
  console.log(`File server: http://localhost:${(server.address() as AddressInfo).port}`),
)
process.once('SIGTERM', () => {
  server.closeAllConnections()
  server.close(() => process.exit(0))
})
