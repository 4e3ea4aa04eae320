import { setTimeout as wait } from 'node:timers/promises'
import { CommandError, exitCodes, type ExitCode } from './exit-codes.ts'

/** The fields of Grove's answers that publishing reads. */
export interface Product {
  productId: string
  newestVersion: { productVersionId: string; version: string } | null
}
export interface Translation {
  localeCode: string
  title: string
  whatsNew?: string
}
export interface Finding {
  rule: string
  severity: 'error' | 'warning'
  count: number
  places: { path: string | null; message: string; fix: string }[]
}
export interface Report {
  ok: boolean
  sha256?: string
  findings: Finding[]
}
export interface Version {
  productVersionId: string
  version: string
  state: string
  enabled: boolean
  isFinal: boolean
  revision: number
  translations: Translation[]
  package: { sha256: string; bytes: number; files: number; report: Report | null } | null
  lastRefused: { report: Report } | null
}

interface Problem {
  code?: string
  title?: string
  detail?: string
}

/** A refusal of the service. */
export class ServiceError extends CommandError {
  readonly status: number
  readonly code: string | undefined

  constructor(status: number, { code, title, detail }: Problem) {
    super(exitCodeOf(status), detail ?? title ?? `Grove answered ${status}.`)
    this.status = status
    this.code = code
  }
}

const exitCodeOf = (status: number): ExitCode =>
  [401, 403, 404].includes(status)
    ? exitCodes.notAllowed
    : status === 409
      ? exitCodes.conflict
      : exitCodes.failed

interface Request {
  method?: 'GET' | 'POST' | 'PUT'
  json?: unknown
  /** Created again for each attempt. */
  body?: () => { stream: ReadableStream<Uint8Array>; contentType: string; bytes: number }
  ifMatch?: number
  /** Not idempotent: a second copy would do harm, or be refused. */
  isOnce?: boolean
}

const attempts = 5
const firstDelayMs = 1000
const maxDelayMs = 30_000

export type Service = ReturnType<typeof createService>

interface ServiceOptions {
  url: string
  key: string
  say: (text: string) => void
  /** Replaces the pause in tests. */
  pause?: (ms: number) => Promise<unknown>
}

/** The calls, each retried while the network or the service fails. */
export function createService({ url, key, say, pause = wait }: ServiceOptions) {
  async function once<T>(path: string, request: Request): Promise<T> {
    const { method = 'GET', json, body, ifMatch } = request
    const sent = body?.()
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        'api-version': '1.7',
        accept: 'application/json',
        'user-agent': 'grove-cli',
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...(sent && { 'content-type': sent.contentType, 'content-length': String(sent.bytes) }),
        ...(ifMatch !== undefined && { 'if-match': `"${ifMatch}"` }),
      },
      // A key must not follow a redirect to another host.
      redirect: 'error',
      ...(json !== undefined && { body: JSON.stringify(json) }),
      ...(sent && { body: sent.stream, duplex: 'half' }),
    })
    const text = await response.text()
    if (response.ok) return parse(text) as T
    const problem = new ServiceError(response.status, Object(parse(text)) as Problem)
    const after = Number(response.headers.get('retry-after'))
    throw Object.assign(problem, { retryAfterMs: after > 0 ? after * 1000 : undefined })
  }

  return async function call<T>(path: string, request: Request = {}): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await once<T>(path, request)
      } catch (error) {
        const retry = retryOf(error, request.isOnce === true)
        if (!retry || attempt === attempts) throw explained(error, url)
        const backOff = Math.min(firstDelayMs * 2 ** (attempt - 1), maxDelayMs)
        const delay = Math.min(retry.afterMs ?? backOff, 10 * maxDelayMs)
        say(`${explained(error, url).message} Trying again in ${Math.ceil(delay / 1000)} s.`)
        await pause(delay)
      }
    }
  }
}

/** Whether a failure may be temporary: no response, overload, a fault of the service. */
function retryOf(error: unknown, isOnce: boolean): { afterMs: number | undefined } | undefined {
  if (!(error instanceof ServiceError)) return isOnce ? undefined : { afterMs: undefined }
  const { retryAfterMs } = error as { retryAfterMs?: number }
  if (error.status === 429) return { afterMs: retryAfterMs }
  return error.status >= 500 && !isOnce ? { afterMs: retryAfterMs } : undefined
}

function explained(error: unknown, url: string): Error {
  if (error instanceof CommandError) return error
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new CommandError(exitCodes.failed, `${url} cannot be reached: ${reason || 'no answer'}.`)
}

/** A proxy's HTML page is not a response of Grove. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
