import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, rm, stat } from 'node:fs/promises'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { get as httpsGet, type RequestOptions } from 'node:https'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { pauseBefore } from './back-off.ts'
import type { TlsKeys } from './link.ts'

/** A firmware image, as in the command `update`. */
export interface Image {
  url: string
  /** 64 hex digits. */
  sha256: string
  size: number
  version: string
}

interface Options {
  /** Grove's base URL; only this origin gets the secret or the certificate. */
  platform: string
  /** Omitted by a device that presents a certificate. */
  secret?: string | undefined
  keys?: TlsKeys | undefined
  /** Where the image is stored during the download. */
  folder: string
  /** Installs the image where the device boots from. An error is the reason why the update failed. */
  install: (file: string, version: string) => Promise<void>
  /** Another version runs now. */
  onInstalled?: () => void
  /** The version that runs now. */
  firmware: () => string
  say: (line: string) => void
  signal: AbortSignal
  /** Delay before a broken download resumes, in milliseconds; tests use shorter ones. */
  pause?: (attempt: number) => number
}

const mostAttempts = 20
const silenceMs = 60_000
const maxBytes = 1_000_000_000

/** A permanent failure. */
class WrongImage extends Error {}

/**
 * Installs firmware. A broken download resumes, also after a restart, and nothing is installed whose
 * SHA-256 differs. If the version already runs, the update is done: the command is resent if the
 * installation restarted the device before its result was stored.
 */
export function updater(options: Options): (d: unknown) => Promise<object> {
  return async (d) => {
    const image = readImage(d)
    const { version } = image
    const { folder, firmware, say } = options
    const before = firmware()
    if (before === version) return { version, isInstalled: true }
    await mkdir(folder, { recursive: true })
    const file = join(folder, `${image.sha256}.image`)
    await download(image, file, options)
    say(`Installing ${version}.`)
    await options.install(file, version)
    await rm(file, { force: true })
    if (firmware() !== before) options.onInstalled?.()
    return { version, isInstalled: firmware() === version }
  }
}

function readImage(d: unknown): Image {
  const { url, sha256, size, version } = (d ?? {}) as Record<string, unknown>
  if (typeof url !== 'string') throw new WrongImage('An update needs the url of its image.')
  if (typeof sha256 !== 'string' || !/^[\da-f]{64}$/i.test(sha256))
    throw new WrongImage('sha256 should be 64 digits of hex.')
  if (!Number.isInteger(size) || Number(size) < 1 || Number(size) > maxBytes)
    throw new WrongImage('size should be the number of bytes.')
  if (typeof version !== 'string' || !/^[!-~]{1,64}$/.test(version))
    throw new WrongImage('version should be 1 to 64 visible characters.')
  return { url, sha256: sha256.toLowerCase(), size: Number(size), version }
}

async function download(image: Image, file: string, options: Options): Promise<void> {
  const { signal, say, pause = pauseBefore } = options
  for (let attempt = 0; ; attempt++)
    try {
      await fetchRest(image, file, options)
      const found = await hashOf(file)
      if (found === image.sha256) return
      await rm(file, { force: true })
      throw new WrongImage(`The image has another SHA-256: ${found}.`)
    } catch (error) {
      if (error instanceof WrongImage || attempt + 1 >= mostAttempts || signal.aborted) throw error
      say(`The download broke: ${error instanceof Error ? error.message : String(error)}.`)
      await wait(pause(attempt), undefined, { signal })
    }
}

/** Requests the missing bytes. */
async function fetchRest(
  { url, size }: Image,
  file: string,
  { platform, secret, keys, signal }: Options,
): Promise<void> {
  const kept = await stat(file).then(
    (found) => found.size,
    () => 0,
  )
  if (kept === size) return
  const address = new URL(url, platform)
  const isOurs = address.origin === new URL(platform).origin
  const headers = {
    ...(kept > 0 && kept < size && { range: `bytes=${kept}-` }),
    ...(isOurs && secret !== undefined && { authorization: `Bearer ${secret}` }),
  }
  const response = await get(address, { headers, signal, ...(isOurs && keys) })
  const { statusCode: status = 0 } = response
  if (status !== 200 && status !== 206) {
    response.destroy()
    const isLater = status === 429 || status >= 500
    throw new (isLater ? Error : WrongImage)(`${address.host} answered ${status}`)
  }
  const continues =
    status === 206 && response.headers['content-range']?.startsWith(`bytes ${kept}-`) === true
  const handle = await open(file, continues ? 'a' : 'w', 0o600)
  let length = continues ? kept : 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      length += chunk.byteLength
      if (length > size) throw new WrongImage(`The image has more than ${size} bytes.`)
      await handle.write(chunk)
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
  if (length < size) throw new Error(`${length} of ${size} bytes came`)
}

/** The head of a response; redirects are not followed. */
function get(address: URL, options: RequestOptions & TlsKeys): Promise<IncomingMessage> {
  const request = (address.protocol === 'https:' ? httpsGet : httpGet)(address, {
    ...options,
    timeout: silenceMs,
  })
  return new Promise((resolve, reject) => {
    request.once('response', resolve)
    request.on('timeout', () => request.destroy(new Error(`${address.host} does not answer`)))
    request.on('error', reject)
  })
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

/**
 * Installs by running a program without a shell: the path of the image is the last argument, and the
 * version is in `GROVE_VERSION`. @throws with the last line of its output.
 */
export const installBy =
  (command: string, signal: AbortSignal): Options['install'] =>
  async (file, version) => {
    const [program = '', ...args] = command.split(' ').filter((part) => part !== '')
    const child = spawn(program, [...args, file], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, GROVE_VERSION: version },
      signal,
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-2000)))
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    if (code === 0) return
    const last = said.trim().split('\n').at(-1) ?? ''
    throw new Error(`The installation ended with ${code}${last === '' ? '' : `: ${last}`}`)
  }
