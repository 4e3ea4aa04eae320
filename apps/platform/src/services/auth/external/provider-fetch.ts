import type { CustomFetch } from 'openid-client'
import { isLoopbackName } from '../../../core/environment.ts'

/** Time limit of each provider response, including its body, in seconds. */
export const patienceSeconds = 5
// The metadata of the largest providers is about 5 kB, and a key set with certificates about 20.
const largestAnswer = 256 * 1024

/** The provider failed or is unreachable, which says nothing about the person who signs in. */
export class ProviderUnavailableError extends Error {
  override readonly name = 'ProviderUnavailableError'
}

/** `fetch` for a server that may be down, slow or hostile: every failure becomes one error type. */
export const fetchFromProvider: CustomFetch = async (address, options) => {
  const { protocol, hostname, host } = new URL(address)
  // A provider on this machine needs no TLS, but may not send its clients elsewhere without it.
  if (protocol === 'http:' && !isLoopbackName(hostname))
    throw new ProviderUnavailableError(`${host} would be reached without TLS`)
  try {
    const response = await fetch(address, options as RequestInit)
    // 429: this service sent too many requests, regardless of who signs in.
    if (response.status >= 500 || response.status === 429) {
      await response.body?.cancel()
      throw new ProviderUnavailableError(`${host} answered ${response.status}`)
    }
    const body = await readAtMost(response, largestAnswer)
    // A 204 may have no body.
    return new Response(body.length > 0 ? body : null, {
      status: response.status,
      headers: response.headers,
    })
  } catch (cause) {
    if (cause instanceof ProviderUnavailableError) throw cause
    throw new ProviderUnavailableError(`${host} did not answer`, { cause })
  }
}

async function readAtMost(response: Response, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body ?? []) {
    bytes += part.length
    // Leaving the loop cancels the stream.
    if (bytes > limit)
      throw new ProviderUnavailableError(`an answer is larger than ${limit / 1024} kB`)
    parts.push(part)
  }
  return Uint8Array.from(Buffer.concat(parts))
}
