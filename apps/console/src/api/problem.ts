import type { FieldError, Problem } from '@grove/contract/shapes'
import type { MessageDescriptor } from '@lingui/core'
import type { ReactNode } from 'react'

/** Extra text for an answer of a third-party service (`session/foreign`). */
export interface ForeignAnswer {
  /** Replaces the text of the code. */
  text?: MessageDescriptor
  /** Shown below the text: what to do next, and a button that copies details for an operator. */
  more: ReactNode
  /** The service does not have the call. */
  isLacking: boolean
}

/** The service answered with a status outside 200–299. */
export class ApiProblem extends Error {
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly requestId: string | undefined
  readonly fields: readonly FieldError[]
  /** Seconds, from `Retry-After`. */
  readonly retryAfter: number | undefined
  foreign?: ForeignAnswer

  constructor(body: Partial<Problem>, status: number, retryAfter?: number) {
    const detail = body.detail ?? body.title ?? `Request failed with status code ${status}`
    super(detail)
    this.name = 'ApiProblem'
    this.status = status
    this.code = body.code ?? `http_${status}`
    this.detail = detail
    this.requestId = body.requestId
    this.fields = Array.isArray(body.errors) ? body.errors : []
    this.retryAfter = retryAfter
  }
}

/** No answer: offline, a name that does not resolve, or a refused or broken connection. */
export class NetworkProblem extends Error {
  constructor(cause: unknown) {
    super('Network Error', { cause })
    this.name = 'NetworkProblem'
  }
}

/** A part of the console that failed to load; each browser words it differently. */
const isLostPart = (error: unknown) =>
  error instanceof Error &&
  /dynamically imported module|importing a module script|unable to preload/i.test(error.message)

/** The service is unreachable, for a call or for a part of the console. */
export const isUnreachable = (error: unknown) =>
  error instanceof NetworkProblem || isLostPart(error)

export const isAbort = (error: unknown) =>
  error instanceof Error && (error.name === 'AbortError' || error.name === 'CanceledError')

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The body of a failed answer as problem details; a third-party service may send anything. */
export function parseProblem(text: string, status: number, retryAfter?: string | null) {
  let body: unknown = text
  try {
    body = JSON.parse(text)
  } catch {
    // Plain text, or the page of a proxy.
  }
  return problemOf({ status, body, retryAfter: retrySeconds(retryAfter) })
}

/** The problem from a response that the auth client rejected with. */
export function problemOf(refusal: {
  status: number | undefined
  body: unknown
  retryAfter: number | undefined
}) {
  return new ApiProblem(problemBody(refusal.body), refusal.status ?? 0, refusal.retryAfter)
}

/** The message for the reader from a service without problem details. */
const WORDS = ['detail', 'message', 'error_description', 'errorMessage']

/**
 * Keeps the members of problem details that have the right type, and a third-party service's own
 * message.
 */
export function problemBody(value: unknown): Partial<Problem> {
  // An HTML page is not a message for the reader.
  if (isSentence(value)) return { detail: value.trim() }
  if (!isRecord(value)) return {}
  const text = (key: string) => (typeof value[key] === 'string' ? { [key]: value[key] } : {})
  const detail = WORDS.map((name) => value[name]).find(isSentence)
  const errors = Array.isArray(value['errors']) ? value['errors'].flatMap(fieldErrorOf) : []
  return {
    ...text('title'),
    ...(detail === undefined ? {} : { detail }),
    ...text('code'),
    ...text('requestId'),
    ...(errors.length > 0 ? { errors } : {}),
  }
}

const isSentence = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= 500 && !value.includes('<')

function fieldErrorOf(value: unknown): FieldError[] {
  if (!isRecord(value)) return []
  const { path, code, message, params } = value
  if (typeof path !== 'string' || typeof code !== 'string' || typeof message !== 'string') return []
  const known = Object.entries(isRecord(params) ? params : {}).filter(
    (entry): entry is [string, string | number] =>
      typeof entry[1] === 'string' || typeof entry[1] === 'number',
  )
  return [{ path, code, message, ...(known.length > 0 && { params: Object.fromEntries(known) }) }]
}

/** `Retry-After` holds seconds or an HTTP date (RFC 9110 §10.2.3). */
export function retrySeconds(value: string | null | undefined, now = Date.now()) {
  if (!value) return undefined
  if (/^\d+$/.test(value.trim())) return Number(value)
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000))
}

/** A third-party service does not have the call, so retrying is pointless. */
export const isCallLacking = (error: unknown) =>
  (error as Partial<ApiProblem> | null | undefined)?.foreign?.isLacking === true

/** What to show below the text of a failure. */
export const moreOf = (error: unknown) =>
  (error as Partial<ApiProblem> | null | undefined)?.foreign?.more
