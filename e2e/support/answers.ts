import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer, json, text } from 'node:stream/consumers'
import { Type, type TSchema } from 'typebox'
import { validatorFor } from '../../apps/platform/src/core/http/validator.ts'
import {
  problemsOf,
  type BodyOf,
  type Call,
  type FormOf,
  type ParamsOf,
  type QueryOf,
  type ResponseOf,
} from '../../packages/contract/src/call.ts'
import { calls, type Calls } from '../../packages/contract/src/calls.ts'
import { problemCodes, type ProblemCode } from '../../packages/contract/src/problem-codes.ts'
import { Problem, type FieldError } from '../../packages/contract/src/shapes.ts'

/** The input of a call. */
export interface Asked<C extends Call> {
  params: ParamsOf<C>
  query: QueryOf<C>
  body: BodyOf<C>
  /** The fields of a form, and its file. */
  form: FormOf<C>
  file: File | undefined
  /** From `If-Match`. */
  revision: number | undefined
}

type Answer<C extends Call> =
  | ResponseOf<C>
  | ((asked: Asked<C>) => ResponseOf<C> | Promise<ResponseOf<C>>)

/** Answers by the keys of their calls in the contract: a value, or a function of the input. */
export type Answers = { [K in keyof Calls]?: Answer<Calls[K]> }

type Send = (response: ServerResponse, call: Call, key: string) => void

/** Answers with something other than the contract's answer. */
const instead = (send: Send) => (): never => {
  throw Object.assign(new Error('This call is not answered by its schema.'), { send })
}

/** A problem as the service would send it; it has to be among those of the call. */
export const refuse = (
  code: ProblemCode,
  more: { detail?: string; errors?: FieldError[]; retryAfter?: number } = {},
) =>
  instead((response, call, key) => {
    if (!problemsOf(call).includes(code)) throw new Error(`${key} never answers ${code}.`)
    const [status, title] = problemCodes[code]
    const { detail = `${title}.`, errors, retryAfter } = more
    const rest = { type: 'about:blank', detail, requestId: randomUUID() }
    const problem = { ...rest, title, status, code, ...(errors && { errors }) }
    expectShape(Problem, problem, `The problem of ${key}`)
    const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
    response.writeHead(status, { 'content-type': 'application/problem+json', ...headers })
    response.end(JSON.stringify(problem))
  })

/** An answer of something between the console and the service, such as a proxy. */
export const answerElse = (status: number, body = '', headers: Record<string, string> = {}) =>
  instead((response) => void response.writeHead(status, headers).end(body))

/** Closes the connection without an answer. */
export const drop = instead((response) => void response.destroy())

const known = Object.entries<Call>(calls)
  .map(([key, call]) => {
    const [method = '', path = ''] = key.split(' ')
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
    const pattern = path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '([^/]+)')
    return { key: key as keyof Calls, call, method, names, pattern: new RegExp(`^${pattern}$`) }
  })
  // Literal paths take precedence over those with parameters.
  .toSorted((a, b) => a.names.length - b.names.length)

/** Checks a value that a test sends, as it is sent. */
function expectShape(schema: TSchema, value: unknown, what: string) {
  const validate = validatorFor(schema, 'body')
  if (validate(value === undefined ? undefined : JSON.parse(JSON.stringify(value)))) return
  throw new Error(`${what} breaks the contract: ${textOf(validate.errors)}`)
}

/** Reads a part of a request like the platform, which accepts "3" in a URL as a number. */
function read(schema: TSchema | undefined, value: unknown, part: 'text' | 'body', key: string) {
  const validate = validatorFor(schema ?? nothing, part)
  if (!validate(value)) throw new Error(`${key} was asked wrongly: ${textOf(validate.errors)}`)
  return value
}

const nothing = Type.Object({}, { additionalProperties: false })
const textOf = (errors: unknown) => JSON.stringify(errors)

const readBody = async (request: IncomingMessage, { isFormEncoded }: Call): Promise<unknown> =>
  isFormEncoded ? Object.fromEntries(new URLSearchParams(await text(request))) : await json(request)

async function readForm(request: IncomingMessage, schema: TSchema, key: string) {
  const body = new Response(await buffer(request), {
    headers: { 'content-type': request.headers['content-type'] ?? '' },
  })
  const { file, ...fields } = Object.fromEntries(await body.formData())
  if (!(file instanceof File)) throw new Error(`${key} was sent no file.`)
  return { form: read(schema, fields, 'body', key), file }
}

async function readRequest(
  request: IncomingMessage,
  url: URL,
  { key, call, names, pattern }: (typeof known)[number],
): Promise<Asked<Call>> {
  const values = pattern.exec(url.pathname)?.slice(1) ?? []
  const params = Object.fromEntries(
    names.map((name, at) => [name, decodeURIComponent(values[at] ?? '')]),
  )
  const query = Object.fromEntries(url.searchParams)
  const revision = /^"(\d+)"$/.exec(request.headers['if-match'] ?? '')?.[1]
  return {
    params: read(call.params, params, 'text', key),
    query: read(call.query, query, 'text', key),
    body: call.body && read(call.body, await readBody(request, call), 'body', key),
    ...(call.form && (await readForm(request, call.form, key))),
    revision: revision === undefined ? undefined : Number(revision),
  } as Asked<Call>
}

/** Answers calls as a test says, and holds both sides to the contract. */
export function createAnswers(base: Answers, versions: Readonly<Record<string, string>>) {
  const answers: Answers = { ...base }
  const asked = new Map<keyof Calls, Asked<Call>[]>()
  const held = new Map<keyof Calls, Promise<void>>()
  /** Violations of the contract, and calls without an answer. */
  const faults: string[] = []
  let mayLackToken = false

  async function answerTo(request: IncomingMessage, response: ServerResponse) {
    response.setHeader('platform', 'grove')
    const url = new URL(request.url ?? '', 'http://console')
    const found = known.find(
      ({ method, pattern }) => method === request.method && pattern.test(url.pathname),
    )
    if (!found) throw new Error(`The contract has no ${request.method} ${url.pathname}.`)
    const { key, call } = found
    const version = request.headers['api-version']
    if (version !== undefined && version !== versions[call.service])
      throw new Error(`${key} was called with api-version ${String(version)}.`)
    const hasToken = request.headers.authorization?.startsWith('Bearer ')
    if (call.access !== 'public' && !hasToken && !mayLackToken)
      throw new Error(`${key} was called without an access token.`)
    const input = await readRequest(request, url, found)
    const answer: unknown = answers[key]
    if (answer === undefined) throw new Error(`${key} has no answer.`)
    asked.set(key, [...(asked.get(key) ?? []), input])
    await held.get(key)
    let value: unknown
    try {
      if (call.access !== 'public' && !hasToken) refuse('unauthorized')()
      value = await (typeof answer === 'function' ? answer(input) : answer)
    } catch (error) {
      const { send } = error as { send?: Send }
      if (!send) throw error
      return send(response, call, key)
    }
    // The page has closed the connection.
    if (response.destroyed) return
    response.statusCode = call.status ?? 200
    if (call.produces !== undefined) {
      response.setHeader('content-type', call.produces)
      return response.end(value)
    }
    expectShape(call.response, value, `The answer to ${key}`)
    if (call.status === 204) return response.end()
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(value))
  }

  return {
    /** Adds answers, or replaces them from now on. */
    answer: (more: Answers) => void Object.assign(answers, more),
    /** Delays the answers of a call until the returned function is called. */
    hold: (key: keyof Calls): (() => void) => {
      let release = () => {}
      held.set(key, new Promise((resolve) => (release = resolve)))
      return release
    },
    /** The inputs of a call so far. */
    asked: <K extends keyof Calls>(key: K) =>
      (asked.get(key) ?? []) as unknown as Asked<Calls[K]>[],
    /**
     * For a session that ends while pages make calls: from now on calls without a token are refused
     * without being a fault.
     */
    allowNoToken: () => void (mayLackToken = true),
    faults,
    handle: (request: IncomingMessage, response: ServerResponse) => {
      answerTo(request, response).catch((error: Error) => {
        // The page gave up while it was sending.
        if (request.destroyed && !request.complete) return
        faults.push(error.message)
        if (response.destroyed || response.headersSent) return
        response.writeHead(501).end()
      })
    },
  }
}
