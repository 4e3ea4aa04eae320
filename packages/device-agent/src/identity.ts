import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { replaceFile } from './durable-file.ts'

/** The identity of a device, and whether the platform has confirmed its claim. */
export interface Identity {
  id: string
  secret: string
  isClaimed: boolean
}

/** The device generates its secret and saves it before the platform receives it. */
export const newIdentity = (id: string): Identity => ({
  id,
  secret: randomBytes(32).toString('base64url'),
  isClaimed: false,
})

export function readIdentities(file: string): Identity[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Identity[]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

export const keepIdentities = (file: string, identities: readonly Identity[]): void =>
  replaceFile(file, `${JSON.stringify(identities)}\n`)

/** Explains what to do; `retryMs` if retrying makes sense. */
export class ClaimError extends Error {
  readonly retryMs: number | undefined
  constructor(message: string, retryMs?: number, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ClaimError'
    this.retryMs = retryMs
  }
}

export interface Claim {
  code: string
  /** The CPLCs of its elements, which Grove assigns to the device from then on. */
  elements?: readonly string[]
}

/** Redeems a claim code; repeating it with the same identity changes nothing. @throws ClaimError */
export async function claim(
  platform: string,
  { id, secret }: Identity,
  { code, elements }: Claim,
): Promise<{ state: string; user: string }> {
  let response: Response
  try {
    response = await fetch(new URL('/api/maple/device/claim', platform), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: code.trim(), id, secret, elements }),
      signal: AbortSignal.timeout(30_000),
      redirect: 'error',
    })
  } catch (cause) {
    throw new ClaimError(`${platform} does not answer.`, 5000, { cause })
  }
  const answer = (await response.json().catch(() => ({}))) as Record<string, unknown>
  if (response.ok) return { state: String(answer['state']), user: String(answer['user']) }
  const detail = typeof answer['detail'] === 'string' ? answer['detail'] : String(response.status)
  const isLater = response.status === 429 || response.status >= 500
  const retryMs = (Number(response.headers.get('retry-after')) || 5) * 1000
  throw new ClaimError(
    `${platform} refused the device ${id}: ${detail}`,
    isLater ? retryMs : undefined,
  )
}
