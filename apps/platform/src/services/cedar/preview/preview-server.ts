import { hasTwoHosts } from '../../../core/http/host-check.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { hostOf, previewOrigin } from '../../../core/http/preview-address.ts'
import type { PreviewListener } from '../../../core/http/preview-listener.ts'
import { closeQueuedAnswers } from '../../../core/http/queued-answers.ts'
import type { PreviewScheme } from '@grove/contract/cedar/preview.rules'
import { gzipped, inflated, inScheme, withFirstScript } from './file-content.ts'
import { mediaTypeOf } from './media-types.ts'
import { sendPaced, type AnswerPace } from './paced-answer.ts'
import type { PackedFile, PreviewPackages } from './preview-packages.ts'
import type { sharedContent } from './shared-content.ts'
import { hostNameOf, tokenLength, type PreviewGrant, type PreviewTokens } from './preview-token.ts'

interface PreviewSource {
  listener: PreviewListener
  tokens: PreviewTokens
  packages: PreviewPackages
  contents: ReturnType<typeof sharedContent>
  pace?: AnswerPace
  firstScript: Buffer
  /** Of every response; the console's origin is known once it listens. */
  headers: (hosts?: readonly string[]) => Record<string, string>
  /** The hosts that the app may connect to; undefined once the version has another package. */
  hostsOf: (grant: PreviewGrant) => Promise<readonly string[] | undefined>
  now: () => number
  warn: (error: unknown) => void
}

const texts = {
  400: ['The request could not be read.', 'Запрос не удалось прочитать.'],
  404: ['There is nothing here.', 'Здесь ничего нет.'],
  405: ['Previews are only read.', 'Предпросмотр можно только читать.'],
  503: [
    'Too many files are being read at once. Try again shortly.',
    'Сейчас читается слишком много файлов. Повторите попытку чуть позже.',
  ],
  410: [
    'This preview has expired. Open a new one in Grove.',
    'Предпросмотр завершён. Откройте новый в Grove.',
  ],
  421: ['This is not a preview URL.', 'Это не адрес предпросмотра.'],
  500: ['The preview could not be read.', 'Предпросмотр не удалось прочитать.'],
} as const

class Refusal extends Error {
  readonly status: keyof typeof texts
  constructor(status: keyof typeof texts) {
    super(texts[status][0])
    this.status = status
  }
}

/** Pending requests of one connection. */
const maxOfConnection = 16
const unanswered = new WeakMap<Socket, number>()

/** Serves previews, and nothing else. */
export function servePreviews(source: PreviewSource): void {
  const { server } = source.listener
  closeQueuedAnswers(server)
  server.on('request', (request, response) => {
    // Browsers send one request after another; a pile of pipelined responses is read by nobody.
    const { socket } = request
    const open = (unanswered.get(socket) ?? 0) + 1
    if (open > maxOfConnection) return void socket.destroy()
    unanswered.set(socket, open)
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1))
    void answer(source, request, response)
  })
  // Non-HTTP input never becomes a request, and gets the same headers.
  server.on('clientError', (_error: Error, socket: Duplex) => {
    if (!socket.writable) return void socket.destroy()
    const headers = { ...source.headers(), 'content-length': '0', connection: 'close' }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join('')}\r\n`)
  })
}

async function answer(source: PreviewSource, request: IncomingMessage, response: ServerResponse) {
  setHeaders(response, source.headers())
  try {
    await answerFile(source, request, response)
  } catch (error) {
    if (!(error instanceof Refusal)) source.warn(error)
    refuse(request, response, error instanceof Refusal ? error.status : 500)
  }
}

function setHeaders(response: ServerResponse, headers: Record<string, string>) {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
}

function refuse(request: IncomingMessage, response: ServerResponse, status: keyof typeof texts) {
  const isRussian = /^ru\b/i.test(request.headers['accept-language'] ?? '')
  const body = Buffer.from(texts[status][isRussian ? 1 : 0])
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': body.length,
    'cache-control': 'no-store',
    ...(status === 405 && { allow: 'GET, HEAD, OPTIONS' }),
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}

const address = new RegExp(`^/p/([\\w-]{${tokenLength}})/(auto|light|dark)/([^?#]*)`)

async function answerFile(
  source: PreviewSource,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = '', url = '', headers, rawHeaders } = request
  if (hasTwoHosts(rawHeaders)) throw new Refusal(400)
  if (method === 'OPTIONS') {
    response.writeHead(204, {
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': '*',
    })
    response.end()
    return
  }
  if (method !== 'GET' && method !== 'HEAD') throw new Refusal(405)
  const [, token = '', scheme = '', rest = ''] = address.exec(url) ?? []
  const grant = source.tokens.read(token)
  if (!isHost(source.listener, headers.host, grant)) throw new Refusal(421)
  if (!grant) throw new Refusal(404)
  if (grant.expiresAt <= source.now()) throw new Refusal(410)
  const hosts = await source.hostsOf(grant)
  if (!hosts) throw new Refusal(410)
  const files = await source.packages.open(grant.sha256)
  if (!files) throw new Refusal(410)
  const path = pathOf(rest)
  const file = files.get(path)
  if (!file) throw new Refusal(404)
  if (hosts.length > 0) setHeaders(response, source.headers(hosts))
  const found = { sha256: grant.sha256, path, file, scheme: scheme as PreviewScheme }
  await send(source, request, response, found)
}

/**
 * Compared as a whole. A run may prefix the version's name with its number: a frame that hangs keeps
 * its process, and another name gets another one. Without a grant any preview name is accepted.
 */
function isHost(
  { pattern }: PreviewListener,
  host: string | undefined,
  grant: PreviewGrant | undefined,
): boolean {
  const [, run = '', asked] = /^(r\d{1,6}-)?(v[\da-f]{32})(?=\.)/.exec(host ?? '') ?? []
  const name = grant ? hostNameOf(grant.versionId) : (asked ?? 'none')
  return host === hostOf(previewOrigin(pattern, run + name))
}

/** The path in the package: a key of its index, never a file system path. */
function pathOf(encoded: string): string {
  let path: string
  try {
    path = decodeURIComponent(encoded)
  } catch {
    throw new Refusal(400)
  }
  return path === '' || path.endsWith('/') ? `${path}index.html` : path
}

interface Found {
  sha256: string
  path: string
  file: PackedFile
  scheme: PreviewScheme
}

async function send(
  { firstScript, contents, pace }: PreviewSource,
  { method, headers, socket }: IncomingMessage,
  response: ServerResponse,
  { sha256, path, file, scheme }: Found,
): Promise<void> {
  const type = mediaTypeOf(path)
  const isPage = type.startsWith('text/html')
  const isChanged = isPage || (scheme !== 'auto' && type.startsWith('text/css'))
  const takesGzip = /\bgzip\b/.test(headers['accept-encoding'] ?? '')
  const isGzip = !isChanged && file.method === 8 && takesGzip
  const make = async () => {
    if (isGzip) return gzipped(file)
    // Stored bytes are a slice of the whole archive, which would be retained.
    let content = file.method === 0 ? Buffer.from(file.packed) : await inflated(file)
    if (isChanged && scheme !== 'auto') content = inScheme(content, scheme)
    return isPage ? withFirstScript(content, firstScript) : content
  }
  const form = isGzip ? 'gzip' : isChanged ? scheme : 'plain'
  const wanted = {
    key: `${sha256} ${form} ${path}`,
    bytes: isGzip ? file.packed.length : file.bytes,
    address: socket.remoteAddress ?? '',
  }
  const lent = await contents.borrow(wanted, make)
  if (!lent) throw new Refusal(503)
  // Whatever the outcome: read, aborted, or never started.
  response.once('close', lent.giveBack)
  if (response.destroyed) lent.giveBack()
  const body = await lent.content
  response.writeHead(200, {
    'content-type': type,
    'content-length': body.length,
    vary: 'accept-encoding',
    ...(isGzip && { 'content-encoding': 'gzip' }),
    // The path identifies these bytes until it expires.
    'cache-control': isPage ? 'no-store' : 'private, max-age=600, immutable',
  })
  if (method === 'HEAD') response.end()
  else sendPaced(response, body, pace)
}
