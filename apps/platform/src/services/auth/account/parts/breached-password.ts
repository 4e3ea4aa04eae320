import { createHash } from 'node:crypto'
import type { AuthContext } from '../../context.ts'

// A form that waits longer is worse than a password that was not checked.
const patienceMs = 1500
// The padded answer for one range is 40 kB; anything far larger is not an answer of this protocol.
const maxBytes = 1_000_000

/**
 * Whether the password is in the list of breached ones, by the range protocol of Have I Been Pwned:
 * only five hex digits of its SHA-1 leave this server, never the password or its hash. False, with a
 * log line, if the service does not answer.
 */
export async function isBreachedPassword(context: AuthContext, password: string): Promise<boolean> {
  const url = context.settings.breachedPasswordsUrl
  if (url === undefined) return false
  const hash = createHash('sha1').update(password).digest('hex').toUpperCase()
  try {
    return (await readRange(`${url.replace(/\/$/, '')}/${hash.slice(0, 5)}`)).has(hash.slice(5))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    context.warnings.emit('warning', { reason }, 'The list of breached passwords does not answer')
    return false
  }
}

async function readRange(address: string): Promise<Set<string>> {
  const response = await fetch(address, {
    // Answers of equal length hide the range from an eavesdropper.
    headers: { 'Add-Padding': 'true' },
    redirect: 'error',
    signal: AbortSignal.timeout(patienceMs),
  })
  if (!response.ok) throw new Error(`The answer has status ${response.status}.`)
  const lines = (await readText(response)).split(/\r?\n/)
  // `SUFFIX:COUNT`; a padding line has the count 0.
  const found = lines.map((line) => /^([0-9A-F]{35}):(\d+)$/i.exec(line.trim()))
  return new Set(
    found.flatMap((parts) =>
      parts && Number(parts[2]) > 0 ? [parts[1]?.toUpperCase() ?? ''] : [],
    ),
  )
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw new Error('The answer is too long.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
