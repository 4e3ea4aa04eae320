import { stageHeader } from '@grove/contract/stage.rules'

/** Explains what to do. */
export class PairingError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'PairingError'
  }
}

async function ask(
  platform: string,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  let response: Response
  try {
    response = await fetch(new URL(path, platform), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
      // A redirect would carry the API key elsewhere.
      redirect: 'error',
    })
  } catch (cause) {
    throw new PairingError(`${platform} does not answer.`, { cause })
  }
  const answer = (await response.json().catch(() => ({}))) as Record<string, unknown>
  if (response.ok) return answer
  const detail = typeof answer['detail'] === 'string' ? answer['detail'] : ''
  throw new PairingError(`${platform} refused the reader: ${detail || response.status}`)
}

const textOf = (answer: Record<string, unknown>, name: string): string => {
  const value = answer[name]
  if (typeof value === 'string') return value
  throw new PairingError('The platform answered something else. Is it Grove, and of this version?')
}

/** Gets a pairing code with an API key that may run sessions. @throws PairingError */
export const createCode = async (
  platform: string,
  { apiKey, stage, name }: { apiKey: string; stage: string | undefined; name: string },
): Promise<string> =>
  textOf(
    await ask(
      platform,
      '/api/maple/reader',
      { name },
      { authorization: `Bearer ${apiKey}`, ...(stage !== undefined && { [stageHeader]: stage }) },
    ),
    'code',
  )

/** Exchanges a pairing code for this reader's key. @throws PairingError */
export const claimKey = async (platform: string, code: string): Promise<string> =>
  textOf(await ask(platform, '/api/maple/reader/claim', { code: code.trim() }), 'key')
