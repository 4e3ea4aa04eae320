import { readAnswer, type Finding, type ValueKind } from './answer-reader.gen.ts'
import { minimum } from './minimum.gen.ts'

export type ServiceName = 'cedar' | 'maple'

/** A deviation from the protocol in a call's answer. */
export interface Fault {
  /** The field, such as `items[0].id`; empty for the whole answer. */
  path: string
  what: string
  /** What it should be. */
  right: string
  /** Whether the console cannot work without it. */
  isNeeded: boolean
}

/**
 * `fits`; `wrong`: the console cannot use the answer; `lacks`: the service does not have the call, and
 * the console leaves out what needs it; `skipped`: it could not be made, for the reason in `note`.
 */
export interface CallResult {
  call: string
  result: 'fits' | 'wrong' | 'lacks' | 'skipped'
  status?: number
  /** The number of items in a list. */
  items?: number
  note?: string
  faults: Fault[]
}

export interface CheckOptions {
  service: ServiceName
  url: string
  token: string
  /** The origin of the console, to check what a browser would let it read. */
  origin?: string | undefined
}

const apiVersions = { cedar: '1.7', maple: '3' }
const limitMs = 10_000

/** Where calls that name one thing get its id: a list, and the field of its first item. */
const sources: Record<string, { list: string; field: string; query?: string }> = {
  'GET /api/developer/product/{id}': { list: 'GET /api/developer/product', field: 'productId' },
  'GET /api/developer/productVersion': {
    list: 'GET /api/developer/product',
    field: 'productId',
    query: 'productId',
  },
  'GET /api/developer/productVersion/{id}': {
    list: 'GET /api/developer/productVersion',
    field: 'productVersionId',
  },
  'GET /api/{linkId}': { list: 'GET /api/developer/product', field: 'linkId' },
  'GET /api/cedar/provider': { list: 'GET /api/provider', field: 'id', query: 'provider' },
  'GET /api/maple/se/domains': { list: 'GET /api/maple/se/element', field: 'cplc', query: 'cplc' },
}

/** Makes the minimum's read-only calls, one after the other, and yields each result. */
export async function* checkService(options: CheckOptions): AsyncGenerator<CallResult> {
  const { calls } = minimum[options.service]
  const lists = new Map<string, Record<string, unknown>[]>()
  // Calls that need a list come after it.
  const keys = Object.keys(calls).toSorted((a, b) => depthOf(a) - depthOf(b))
  for (const call of keys) {
    const source = sources[call]
    const value =
      source && lists.get(source.list)?.find((item) => item[source.field])?.[source.field]
    if (source && value === undefined) {
      const note = `no ${source.field} is known: ${source.list} has none`
      yield { call, result: 'skipped', note, faults: [] }
      continue
    }
    const path = call.slice('GET '.length)
    const text = encodeURIComponent(String(value))
    const query = source?.query === undefined ? '' : `?${source.query}=${text}`
    const { items, ...result } = await checkCall(
      call,
      path.replace(/\{\w+\}/, text) + query,
      options,
    )
    lists.set(call, items ?? [])
    yield { ...result, ...(items && { items: items.length }) }
    // Whatever prevents the first call prevents all the others too.
    if (call === keys[0] && isNotThere(result)) return
  }
}

/** Nothing answered, or something else did that redirects. */
const isNotThere = ({ result, status = 0 }: Omit<Checked, 'items'>) =>
  result === 'wrong' && (status === 0 || (status >= 300 && status < 400))

const depthOf = (call: string): number => {
  const source = sources[call]
  return source ? depthOf(source.list) + 1 : 0
}

type Checked = Omit<CallResult, 'items'> & { items?: Record<string, unknown>[] }

async function checkCall(call: string, path: string, options: CheckOptions): Promise<Checked> {
  const { service, url, token, origin } = options
  let response: Response
  let text: string
  try {
    response = await fetch(url + path, {
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${token}`,
        'api-version': apiVersions[service],
        ...(origin !== undefined && { origin }),
      },
      signal: AbortSignal.timeout(limitMs),
      // A token must not follow a redirect to another host.
      redirect: 'manual',
    })
    text = await response.text()
  } catch (error) {
    return wrong(call, undefined, '', ...failureOf(error))
  }
  const { status, headers } = response
  if (status === 405 || status === 501 || (status === 404 && sources[call] === undefined))
    return { call, result: 'lacks', status, faults: [] }
  const location = headers.get('location')
  if (status >= 300 && status < 400 && location !== null) {
    const to = new URL(location, url + path)
    return wrong(
      call,
      status,
      '',
      `the answer is ${status}, which leads to ${to.origin}${to.pathname}`,
      'an answer at this address, or the address that it leads to on the command line',
    )
  }
  if (status === 401)
    return wrong(call, status, '', 'the token is refused', 'an answer to a valid access token')
  if (status === 403)
    return { call, result: 'skipped', status, note: 'this account may not make it', faults: [] }
  if (!response.ok) return wrong(call, status, '', `the answer is ${status}`, 'status 200')
  const answer = parse(text)
  if (answer === undefined) return wrong(call, status, '', nonJson(text), 'JSON')
  const shapes = minimum[service]
  const { value, findings } = readAnswer(shapes, shapes.calls[call] ?? '*', answer)
  const faults = [
    ...faultsOf(findings),
    ...(origin === undefined ? [] : corsFaults(headers, origin)),
  ]
  const items = itemsOf(value)
  const result = faults.some(({ isNeeded }) => isNeeded) ? 'wrong' : 'fits'
  return { call, result, status, faults, ...(items && { items }) }
}

const wrong = (
  call: string,
  status: number | undefined,
  path: string,
  what: string,
  right: string,
): Checked => ({
  call,
  result: 'wrong',
  ...(status !== undefined && { status }),
  faults: [{ path, what, right, isNeeded: true }],
})

const untrusted = [
  'its certificate is signed by itself or by an authority that this machine does not know',
  'a certificate of a public authority; for one of your own, NODE_EXTRA_CA_CERTS with its file',
] as const
const noHttp = [
  'it speaks something other than HTTP/1.1',
  'the port of the service; https:// where it speaks TLS',
] as const
const failures: Record<string, readonly [what: string, right: string]> = {
  ENOTFOUND: ['its name is not known (DNS)', 'an address whose name is known'],
  ECONNREFUSED: ['nothing listens there', 'a service that runs, at this port'],
  ECONNRESET: ['it closed the connection without an answer', 'an answer'],
  UND_ERR_SOCKET: ['it closed the connection without an answer', 'an answer'],
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  CERT_HAS_EXPIRED: ['its certificate has expired', 'a certificate that is valid'],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'its certificate is for another name',
    'a certificate for this name',
  ],
  ERR_SSL_WRONG_VERSION_NUMBER: ['it does not speak TLS', 'http://, or a service with TLS'],
  ERR_SSL_PACKET_LENGTH_TOO_LONG: ['it does not speak TLS', 'http://, or a service with TLS'],
  // Browsers support it, Node's fetch does not.
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: [
    'it speaks HTTP/2 alone, which this check does not',
    'HTTP/1.1 beside it, at least for the check',
  ],
}

/** Why there was no answer, and what to do. */
function failureOf(error: unknown): readonly [what: string, right: string] {
  if (error instanceof Error && error.name === 'TimeoutError')
    return ['nothing came in ten seconds', 'an answer within ten seconds']
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const {
    code = '',
    message = String(cause),
    name,
  } = Object(cause) as { code?: string; message?: string; name?: string }
  return (
    failures[code] ??
    (name === 'HTTPParserError'
      ? noHttp
      : [`it cannot be reached (${message.trim()})`, 'an answer'])
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function nonJson(text: string): string {
  if (text.trim() === '') return 'the answer is empty'
  return text.trimStart().startsWith('<') ? 'the answer is a web page' : 'the answer is plain text'
}

const rightOf: Record<ValueKind, string> = {
  text: 'text',
  moment: 'a date and time such as 2026-03-01T09:30:00Z',
  number: 'a number',
  boolean: 'true or false',
  list: 'a list',
  object: 'an object',
  choice: 'one of the values in docs/protocol-*.md',
}

/** A missing optional field is not a fault; the same fault in many items counts once. */
function faultsOf(findings: readonly Finding[]): Fault[] {
  const seen = new Set<string>()
  return findings.flatMap(({ path, isMissing, isNeeded, kind }) => {
    const place = path.replaceAll(/\[\d+\]/g, '[]')
    if ((isMissing && !isNeeded) || seen.has(place)) return []
    seen.add(place)
    const what = isMissing ? 'is missing' : `is not ${rightOf[kind].replace(/ such as.*/, '')}`
    return [{ path, what, right: rightOf[kind], isNeeded }]
  })
}

function corsFaults(headers: Headers, origin: string): Fault[] {
  const allowed = headers.get('access-control-allow-origin')
  if (allowed === '*' || allowed === origin) return []
  return [
    {
      path: '',
      what: `a browser lets the console at ${origin} not read it`,
      right: `Access-Control-Allow-Origin: ${origin}`,
      isNeeded: true,
    },
  ]
}

function itemsOf(value: unknown): Record<string, unknown>[] | undefined {
  const list = Array.isArray(value) ? value : (value as { items?: unknown } | null)?.items
  return Array.isArray(list) ? (list as Record<string, unknown>[]) : undefined
}

/** Whether a browser may send the console's calls: the faults of the preflight. */
export async function checkPreflight({ service, url, origin }: CheckOptions): Promise<CallResult> {
  const path = service === 'cedar' ? '/api/developer/product' : '/api/maple/device'
  const call = `OPTIONS ${path}`
  if (origin === undefined)
    return { call, result: 'skipped', note: 'name the console with --console', faults: [] }
  const needed = {
    methods: ['PUT', 'DELETE'],
    headers: ['authorization', 'content-type', 'api-version'],
  }
  try {
    const response = await fetch(url + path, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'PUT',
        'access-control-request-headers': needed.headers.join(','),
      },
      signal: AbortSignal.timeout(limitMs),
    })
    const lacking = (Object.keys(needed) as (keyof typeof needed)[]).flatMap((kind) => {
      const given = response.headers.get(`access-control-allow-${kind}`)?.toLowerCase() ?? ''
      return needed[kind].filter((each) => !given.split(/ *, */).includes(each.toLowerCase()))
    })
    const faults = [
      ...corsFaults(response.headers, origin),
      ...(lacking.length === 0
        ? []
        : [
            {
              path: '',
              what: `a browser may not send ${lacking.join(', ')}`,
              right: 'Access-Control-Allow-Methods and -Headers that name them',
              isNeeded: true,
            },
          ]),
    ]
    return { call, result: faults.length > 0 ? 'wrong' : 'fits', status: response.status, faults }
  } catch (error) {
    return wrong(call, undefined, '', ...failureOf(error)) as CallResult
  }
}
