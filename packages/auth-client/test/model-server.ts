import type { SessionStorageAdapter } from '../src/index.ts'

// A strictly rotating service, a storage, Web Locks and clocks, all in this process, for running many
// random histories. It counts what must never happen.

export type RefreshFault =
  | '401'
  | '403 page'
  | '429'
  | '503'
  | 'no token'
  | 'lost request'
  | 'lost answer'
  | 'held'

interface Family {
  userId: string
  current: string
  ended: boolean
}

const LIFETIME = 600
const HOUR = 3600_000

export function modelWorld(serverAhead: number) {
  // True time is the same for all; each clock has its own error.
  let elapsed = 0
  let clientAhead = 0
  let serial = 0
  let isOffline = false
  let isDenied = false
  let wasDenied = false
  let refreshesUnderWay = 0
  let held: (() => void)[] = []
  const families = new Map<string, Family>()
  const answersLost = new Set<string>()
  const refusedAccess = new Set<string>()
  const faults: RefreshFault[] = []
  const items = new Map<string, string>()
  const counts = { refreshes: 0, calls: 0, rejections: 0 }
  const violations: string[] = []

  const clientNow = () => 1_700_000_000_000 + elapsed + clientAhead
  const serverNow = () => 1_700_000_000_000 + elapsed + serverAhead

  const storage: SessionStorageAdapter = {
    getItem: (key) => guarded(() => items.get(key) ?? null),
    setItem: (key, value) => guarded(() => void items.set(key, value)),
    removeItem: (key) => guarded(() => void items.delete(key)),
  }
  function guarded<T>(work: () => T): T {
    if (isDenied) throw new DOMException('denied', 'SecurityError')
    return work()
  }

  function issue(family: Family) {
    serial += 1
    family.current = `refresh ${serial}`
    families.set(family.current, family)
    const iat = Math.floor(serverNow() / 1000)
    const payload = { sub: family.userId, iat, exp: iat + LIFETIME, jti: serial }
    const accessToken = `e30.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.x`
    return json(200, { token: { tokenType: 'Bearer', accessToken, refreshToken: family.current } })
  }

  /** The user that the storage names: another's token must not be sent. */
  const storedUser = () => items.get('grove.auth/model/grove/current')?.split('/').at(-1)

  function exchange(refreshToken: string): Response {
    const family = families.get(refreshToken)
    if (family && family.current !== refreshToken) {
      if (!answersLost.has(refreshToken)) violations.push(`${refreshToken} was used twice`)
      family.ended = true
    }
    if (!family || family.ended) return reject()
    return issue(family)
  }

  function reject() {
    counts.rejections += 1
    return json(401, { code: 'invalid_refresh_token' })
  }

  async function refresh(refreshToken: string, signal: AbortSignal | null): Promise<Response> {
    counts.refreshes += 1
    const fault = faults.shift()
    switch (fault) {
      case '401':
        return reject()
      case '403 page':
        counts.rejections += 1
        return new Response('<h1>Forbidden</h1>', { status: 403 })
      case '429':
        return json(429, { code: 'too_many_attempts' }, { 'retry-after': '20' })
      case '503':
        return json(503, {})
      case 'no token':
        return new Response('<h1>Welcome to this hotel</h1>')
      case 'lost request':
        throw new TypeError('fetch failed')
      case 'lost answer':
        exchange(refreshToken)
        answersLost.add(refreshToken)
        throw new TypeError('fetch failed')
      case 'held':
      case undefined: {
        const answer = exchange(refreshToken)
        if (fault === 'held') await untilReleased(refreshToken, signal)
        return answer
      }
    }
  }

  function untilReleased(refreshToken: string, signal: AbortSignal | null) {
    return new Promise<void>((resolve, reject) => {
      held.push(resolve)
      signal?.addEventListener('abort', () => {
        answersLost.add(refreshToken)
        reject(new DOMException('stopped', 'AbortError'))
      })
    })
  }

  const send: typeof fetch = async (input, init) => {
    const path = new URL(input instanceof Request ? input.url : input, 'http://model').pathname
    if (isOffline) throw new TypeError('fetch failed')
    const body = (typeof init?.body === 'string' ? JSON.parse(init.body) : {}) as Record<
      string,
      string
    >
    if (path === '/api/token/password') {
      return issue({ userId: body['email'] ?? '', current: '', ended: false })
    }
    if (path === '/api/logout') {
      const family = families.get(body['refreshToken'] ?? '')
      if (family) family.ended = true
      return new Response(null, { status: 204 })
    }
    if (path === '/api/token/refresh') {
      refreshesUnderWay += 1
      if (refreshesUnderWay > 1) violations.push('two refreshes under way')
      return refresh(body['refreshToken'] ?? '', init?.signal ?? null).finally(() => {
        refreshesUnderWay -= 1
      })
    }
    counts.calls += 1
    const authorization = new Headers(init?.headers).get('authorization')
    if (authorization === null) return json(401, { code: 'unauthorized' })
    const { sub } = claimsOf(authorization)
    if (!wasDenied && sub !== storedUser()) violations.push(`${sub} was sent for ${storedUser()}`)
    const isRefused = remaining(authorization) <= 0 || refusedAccess.has(authorization)
    return isRefused ? json(401, { code: 'unauthorized' }) : json(200, {})
  }

  /** Remaining lifetime of a token at the service, in seconds. */
  const remaining = (authorization: string) => claimsOf(authorization).exp - serverNow() / 1000

  return {
    storage,
    items,
    send,
    counts,
    violations,
    faults,
    clientNow,
    remaining,
    isHeld: () => held.length > 0,
    release() {
      held.forEach((resolve) => resolve())
      held = []
    },
    wait: (milliseconds: number) => void (elapsed += milliseconds),
    jump: (hours: number) => void (clientAhead += hours * HOUR),
    setOffline: (value: boolean) => void (isOffline = value),
    setDenied(value: boolean) {
      isDenied = value
      wasDenied ||= value
    },
    refuse: (authorization: string) => void refusedAccess.add(authorization),
    endFamilies() {
      for (const family of families.values()) family.ended = true
    },
    /** Whether the stored session can still be refreshed. */
    isAlive() {
      const record = items.get(items.get('grove.auth/model/grove/current') ?? '') ?? '{}'
      const { refreshToken } = JSON.parse(record) as { refreshToken?: string }
      const family = families.get(refreshToken ?? '')
      return family !== undefined && !family.ended && family.current === refreshToken
    },
  }
}

export const claimsOf = (authorization: string) =>
  JSON.parse(Buffer.from(authorization.split('.')[1] ?? '', 'base64url').toString()) as {
    sub: string
    exp: number
  }

const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })
